import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { addMs, type Clock, secondMs } from "@malipo/core";
import type { onRequestHookHandler } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** The client waits until then. Work for the request ends before. */
    deadline: Date;
  }
}

/** Characters that are safe in logs and headers. */
const safeRequestId = /^[\w.-]{8,100}$/;
const defaultTimeoutMs = 5 * secondMs;

/** Keeps the client's request id if it is safe. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && safeRequestId.test(given) ? given : `req_${randomUUID()}`;
}

/** Sets the deadline, and the request id in the answer. */
export function identify(clock: Clock): onRequestHookHandler {
  return (request, reply, done) => {
    const { route } = request.routeOptions.config;
    request.deadline = addMs(clock(), route?.timeoutMs ?? defaultTimeoutMs);
    reply.header("x-request-id", request.id);
    done();
  };
}
