import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { isStoreAway } from "@malipo/platform";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Mode } from "../config.ts";
import type { Principal, Principals } from "../principals.ts";
import { hashSecret, modeOfSecret } from "../secret.ts";
import type { AddressLimiter } from "../rate-limit/addresses.ts";
import type { Usage } from "../usage.ts";
import type { Step } from "./pipeline.ts";
import { refuse } from "./problem.ts";
import { describeLimit, rateLimited } from "./rate-limit.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** Lets only businesses through, known by their secret. */
export function authenticateBusiness(
  principals: Principals,
  addresses: AddressLimiter,
  usage: Usage,
  mode: Mode,
): Step {
  return async (request, reply) => {
    const found = await principalOf(request.headers.authorization, principals, mode);
    if (!found.ok) return refuseCredential(request, reply, addresses, found.error);
    request.principal = found.value;
    usage.note(found.value.credentialid);
    return undefined;
  };
}

/** A wrong secret counts against its address, so that nobody tries secrets at leisure. */
function refuseCredential(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: AddressLimiter,
  refusal: Fault,
): FastifyReply {
  if (refusal.status !== 401) return refuse(request, reply, refusal);
  const decision = addresses.note(request.ip);
  describeLimit(reply, decision);
  return refuse(request, reply, decision.allowed ? refusal : rateLimited(decision));
}

/** A suspended business is told so; what it asks has counted all the same. */
export async function admit(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (!request.principal?.suspended) return undefined;
  return refuse(request, reply, fault("business_suspended"));
}

async function principalOf(
  authorization: string | undefined,
  principals: Principals,
  mode: Mode,
): Promise<Result<Principal, Fault>> {
  const secret = secretIn(authorization);
  if (!secret) return err(fault("missing_credential"));
  const secretMode = modeOfSecret(secret);
  if (secretMode === null) return err(fault("invalid_credential"));
  if (secretMode !== mode) return err(fault("wrong_environment", { text: wrongEnvironment[mode] }));
  try {
    const principal = await principals.find(hashSecret(secret));
    if (!principal) return err(fault("invalid_credential"));
    return ok(principal);
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    return err(fault("service_unavailable", { detail: "the credential cannot be looked up" }));
  }
}

const wrongEnvironment = {
  sandbox: "This is the sandbox, and the secret is a live one",
  live: "This is the live environment, and the secret is a test one",
} as const satisfies Record<Mode, string>;

/** The secret is the whole header value; as a convenience it may follow the word Bearer. */
export function secretIn(authorization: string | undefined): string {
  return (authorization ?? "").replace(/^Bearer( +|$)/i, "").trim();
}
