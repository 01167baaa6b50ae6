import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { addMs, type Clock, secondMs } from "@malipo/core";
import type { onRequestHookHandler } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    deadline: Date;
  }
}

const acceptable = /^[\w.-]{8,100}$/;

/** A caller's own request id is kept when it is harmless in logs and headers. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && acceptable.test(given) ? given : `req_${randomUUID()}`;
}

/** Until when its caller waits: whatever is done for it, is done before. */
const usualPatienceMs = 5 * secondMs;

export function identify(clock: Clock): onRequestHookHandler {
  return (request, reply, done) => {
    const { route } = request.routeOptions.config;
    request.deadline = addMs(clock(), route?.timeoutMs ?? usualPatienceMs);
    reply.header("x-request-id", request.id);
    done();
  };
}
