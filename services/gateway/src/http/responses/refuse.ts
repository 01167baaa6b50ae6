import { formatFailure, isPage, type Route } from "@malipo/contracts";
import { type Fault, fault, type FaultCode } from "@malipo/core";
import type { Log } from "@malipo/platform";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Outcome } from "../pipeline/pipeline.ts";
import { sendErrorPage } from "./error-page.ts";
import { jsonHeaders } from "./json-headers.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    route?: Route;
    /** A live stream, which is open for minutes. */
    live?: true;
  }
}

const defaultRetryAfterSeconds = 1;

/** Sends a refusal in the form of the contract. Every refusal of a parsed request is sent here. */
export function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Fault): Outcome {
  const { route } = request.routeOptions.config;
  if (refusal.retry === "later") {
    reply.header("retry-after", refusal.retryAfterSeconds ?? defaultRetryAfterSeconds);
  }
  reply.header("x-request-id", request.id);
  closeIfUnread(request, reply);
  if (refusal.status === 401) reply.header("www-authenticate", challengeFor(refusal));
  reply.code(refusal.status);
  if (route && isPage(route)) return sendErrorPage(reply, refusal, request.id);
  reply.headers(jsonHeaders).send(formatFailure(refusal, route?.errorField ?? "error", request.id));
  return "answered";
}

/** A body that was not read before the answer is never read, so the connection must be closed. */
export function closeIfUnread(request: FastifyRequest, reply: FastifyReply): void {
  if (request.body === undefined && announcesBody(request)) reply.header("connection", "close");
}

function announcesBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
}

function challengeFor({ code }: Fault): string {
  return code === "missing_credential"
    ? 'Bearer realm="malipo"'
    : 'Bearer realm="malipo", error="invalid_token"';
}

/** Faults for the errors of Fastify itself. */
const faultByFastifyCode: Readonly<Record<string, FaultCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_content_type",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_request",
  FST_ERR_BAD_URL: "unknown_path",
};

/** Refuses requests without a route, and requests whose handling throws. */
export function handleErrors(app: FastifyInstance, log: Log): void {
  app.setNotFoundHandler((request, reply) => void refuse(request, reply, fault("unknown_path")));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const code = faultCodeOf(error);
    if (code === "internal_error") {
      log.error({ err: error, requestid: request.id }, "request failed");
    }
    refuse(request, reply, fault(code));
  });
}

function faultCodeOf({ code, statusCode = 500 }: FastifyError): FaultCode {
  return faultByFastifyCode[code] ?? (statusCode < 500 ? "invalid_request" : "internal_error");
}
