import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { addMs, type Clock, secondMs } from "@malipo/core";
import type { FastifyReply, FastifyRequest } from "fastify";

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
const patienceMs = 5 * secondMs;

export function identify(clock: Clock) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.deadline = addMs(clock(), patienceMs);
    reply.header("x-request-id", request.id);
  };
}
