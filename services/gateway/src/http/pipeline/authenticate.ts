import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { isStoreAway } from "@malipo/platform";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Mode } from "../../config.ts";
import type { CachedPrincipals, Principal, Principals } from "../../credentials/principals.ts";
import { hashSecret, modeOfSecret } from "../../credentials/secret.ts";
import type { AddressLimiter } from "../../rate-limits/address-limiter.ts";
import type { Usage } from "../../credentials/last-uses.ts";
import type { Outcome, Step } from "./pipeline.ts";
import { refuse } from "../responses/refuse.ts";
import { describeLimit, rateLimited } from "./rate-limit.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** Lets only businesses through, known by their secret. */
export function authenticateBusiness(
  principals: CachedPrincipals,
  addresses: AddressLimiter,
  usage: Usage,
  mode: Mode,
): Step {
  function admitKnown(found: Result<Principal, Fault>, ...[request, reply]: Parameters<Step>) {
    if (!found.ok) return refuseCredential(request, reply, addresses, found.error);
    request.principal = found.value;
    usage.note(found.value.credentialid);
    return undefined;
  }

  return (request, reply) => {
    const secret = readSecret(request.headers.authorization, mode);
    if (!secret.ok) return refuseCredential(request, reply, addresses, secret.error);
    const hash = hashSecret(secret.value);
    const known = principals.recall(hash);
    if (known !== undefined) return admitKnown(principalOr401(known), request, reply);
    const standing = addresses.peek(request.ip);
    if (standing.remaining === 0 && !principals.hasMet(hash)) {
      return refuse(request, reply, rateLimited(standing));
    }
    return lookUp(principals, hash).then((found) => admitKnown(found, request, reply));
  };
}

/** A wrong secret counts against its address, so that nobody tries secrets at leisure. */
function refuseCredential(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: AddressLimiter,
  refusal: Fault,
): Outcome {
  if (refusal.status !== 401) return refuse(request, reply, refusal);
  const decision = addresses.note(request.ip);
  describeLimit(reply, decision);
  return refuse(request, reply, decision.allowed ? refusal : rateLimited(decision));
}

/** A suspended business is told so; what it asks has counted all the same. */
export const admit: Step = (request, reply) =>
  request.principal?.suspended ? refuse(request, reply, fault("business_suspended")) : undefined;

function readSecret(authorization: string | undefined, mode: Mode): Result<string, Fault> {
  const secret = secretIn(authorization);
  if (!secret) return err(fault("missing_credential"));
  const secretMode = modeOfSecret(secret);
  if (secretMode === null) return err(fault("invalid_credential"));
  if (secretMode === mode) return ok(secret);
  return err(fault("wrong_environment", { text: wrongEnvironment[mode] }));
}

async function lookUp(principals: Principals, hash: string): Promise<Result<Principal, Fault>> {
  try {
    return principalOr401(await principals.find(hash));
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    return err(fault("service_unavailable", { detail: "the credential cannot be looked up" }));
  }
}

function principalOr401(found: Principal | null): Result<Principal, Fault> {
  return found ? ok(found) : err(fault("invalid_credential"));
}

const wrongEnvironment = {
  sandbox: "This is the sandbox, and the secret is a live one",
  live: "This is the live environment, and the secret is a test one",
} as const satisfies Record<Mode, string>;

/** The secret is the whole header value; as a convenience it may follow the word Bearer. */
export function secretIn(authorization: string | undefined): string {
  return (authorization ?? "").replace(/^Bearer( +|$)/i, "").trim();
}
