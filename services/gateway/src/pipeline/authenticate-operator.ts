import { timingSafeEqual } from "node:crypto";
import { fault } from "@malipo/core";
import { hashSecret } from "../secret.ts";
import { secretIn } from "./authenticate.ts";
import type { Step } from "./pipeline.ts";
import { refuse } from "./problem.ts";

/** The operator API knows one token. Hashes are of one length, whatever was sent. */
export function authenticateOperator(token: string): Step {
  const expected = Buffer.from(hashSecret(token));
  return (request, reply) => {
    const given = secretIn(request.headers.authorization);
    if (!given) return refuse(request, reply, fault("missing_credential"));
    if (timingSafeEqual(Buffer.from(hashSecret(given)), expected)) return undefined;
    return refuse(request, reply, fault("invalid_credential"));
  };
}
