import { timingSafeEqual } from "node:crypto";
import { fault } from "@malipo/core";
import type { AddressLimiter } from "../../rate-limits/address-limiter.ts";
import { hashSecret } from "../../credentials/secret.ts";
import type { Audit } from "./audit.ts";
import { secretIn } from "./authenticate.ts";
import type { Step } from "./pipeline.ts";
import { refuse } from "../responses/refuse.ts";
import { rateLimited } from "./rate-limit.ts";

/** The operator API knows one token. Hashes are of one length, whatever was sent. */
export function authenticateOperator(token: string, audit: Audit, addresses: AddressLimiter): Step {
  const expected = Buffer.from(hashSecret(token));
  return (request, reply) => {
    const given = secretIn(request.headers.authorization);
    if (given && timingSafeEqual(Buffer.from(hashSecret(given)), expected)) return undefined;
    const decision = addresses.note(request.ip);
    if (!decision.allowed) return refuse(request, reply, rateLimited(decision));
    const refusal = fault(given ? "invalid_credential" : "missing_credential");
    return audit.refusal(request, refusal.code).then(() => refuse(request, reply, refusal));
  };
}
