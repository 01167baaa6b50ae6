import { timingSafeEqual } from "node:crypto";
import { fault } from "@malipo/core";
import { hashSecret } from "../../credentials/secret.ts";
import type { AddressLimiter } from "../../limiters/address-limiter.ts";
import { refuse } from "../responses/refuse.ts";
import type { Audit } from "./audit.ts";
import { secretIn } from "./authenticate.ts";
import type { Step } from "./pipeline.ts";
import { rateLimited } from "./rate-limit.ts";

/** The operator API has one token. Hashes have equal lengths, which `timingSafeEqual` needs. */
export function authenticateOperator(
  token: string,
  audit: Audit,
  refusalsByAddress: AddressLimiter,
): Step {
  const expected = Buffer.from(hashSecret(token));
  return (request, reply) => {
    const given = secretIn(request.headers.authorization);
    if (given && timingSafeEqual(Buffer.from(hashSecret(given)), expected)) return undefined;
    const decision = refusalsByAddress.count(request.ip);
    if (!decision.allowed) return refuse(request, reply, rateLimited(decision));
    const refusal = fault(given ? "invalid_credential" : "missing_credential");
    return audit.recordRefusal(request, refusal.code).then(() => refuse(request, reply, refusal));
  };
}
