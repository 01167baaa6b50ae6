import { timingSafeEqual } from "node:crypto";
import { fault } from "@malipo/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hashSecret } from "../secret.ts";
import { secretIn } from "./authenticate.ts";
import { refuse } from "./problem.ts";

/** The operator API knows one token. Hashes are of one length, whatever was sent. */
export function authenticateOperator(token: string) {
  const expected = Buffer.from(hashSecret(token));
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const given = secretIn(request.headers.authorization);
    if (!given) return refuse(request, reply, fault("missing_credential"));
    if (timingSafeEqual(Buffer.from(hashSecret(given)), expected)) return undefined;
    return refuse(request, reply, fault("invalid_credential"));
  };
}
