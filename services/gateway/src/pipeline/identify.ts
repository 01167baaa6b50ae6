import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";

const acceptable = /^[\w.-]{8,100}$/;

/** A caller's own request id is kept when it is harmless in logs and headers. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && acceptable.test(given) ? given : `req_${randomUUID()}`;
}

export async function identify(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header("x-request-id", request.id);
}
