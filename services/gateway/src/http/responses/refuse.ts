import { formatFailure, isPage, type Route } from "@malipo/contracts";
import { type Fault, fault, type FaultCode } from "@malipo/core";
import type { Log } from "@malipo/platform";
import { sendErrorPage } from "./error-page.ts";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Outcome } from "../pipeline/pipeline.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    route?: Route;
    /** Stays open for minutes: it is bounded by itself, and not among what is in flight. */
    live?: true;
  }
}

const usualRetryAfterSeconds = 1;

/** Every refusal leaves the gateway here, in the one shape of the contract. */
export function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Fault): Outcome {
  const { route } = request.routeOptions.config;
  if (refusal.retry === "later") {
    reply.header("retry-after", refusal.retryAfterSeconds ?? usualRetryAfterSeconds);
  }
  reply.header("x-request-id", request.id);
  // Nobody reads a body that was refused before it came; the connection cannot be used again.
  if (request.body === undefined && announcesBody(request)) reply.header("connection", "close");
  if (refusal.status === 401) reply.header("www-authenticate", challengeFor(refusal));
  reply.code(refusal.status);
  if (route && isPage(route)) return sendErrorPage(reply, refusal, request.id);
  reply
    .type("application/json; charset=utf-8")
    .send(formatFailure(refusal, route?.errorField ?? "error", request.id));
  return "answered";
}

/** An answer that came from elsewhere, byte for byte. */
export function send(reply: FastifyReply, answer: { status: number; body: Uint8Array }): Outcome {
  reply.code(answer.status).type("application/json; charset=utf-8").send(answer.body);
  return "answered";
}

function announcesBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
}

function challengeFor({ code }: Fault): string {
  return code === "missing_credential"
    ? 'Bearer realm="malipo"'
    : 'Bearer realm="malipo", error="invalid_token"';
}

/** What Fastify itself refuses, in our words. */
const faultOfFastify: Readonly<Record<string, FaultCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_content_type",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_request",
  FST_ERR_BAD_URL: "unknown_path",
};

export function reportProblems(app: FastifyInstance, log: Log): void {
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
  return faultOfFastify[code] ?? (statusCode < 500 ? "invalid_request" : "internal_error");
}
