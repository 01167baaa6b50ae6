import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { isStoreAway } from "@malipo/platform";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Mode } from "../../config.ts";
import type { CachedPrincipals, Principals } from "../../credentials/principals.ts";
import { hashSecret, modeOfSecret } from "../../credentials/secret.ts";
import type { Principal } from "../../domain/principal.ts";
import type { LastUses } from "../../jobs/store-last-uses.ts";
import type { AddressLimiter } from "../../limiters/address-limiter.ts";
import { refuse } from "../responses/refuse.ts";
import type { Outcome, Step } from "./pipeline.ts";
import { describeLimit, rateLimited } from "./rate-limit.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** Authenticates a business by its secret. */
export function authenticateBusiness(
  principals: CachedPrincipals,
  wrongSecretsByAddress: AddressLimiter,
  lastUses: LastUses,
  mode: Mode,
): Step {
  function setPrincipal(found: Result<Principal, Fault>, ...[request, reply]: Parameters<Step>) {
    if (!found.ok) return refuseSecret(request, reply, wrongSecretsByAddress, found.error);
    request.principal = found.value;
    lastUses.record(found.value.credentialid);
    return undefined;
  }

  return (request, reply) => {
    const secret = readSecret(request.headers.authorization, mode);
    if (!secret.ok) return refuseSecret(request, reply, wrongSecretsByAddress, secret.error);
    const hash = hashSecret(secret.value);
    const cached = principals.findCached(hash);
    if (cached !== undefined) return setPrincipal(principalOrFault(cached), request, reply);
    const wrongSecrets = wrongSecretsByAddress.peek(request.ip);
    if (wrongSecrets.remaining === 0 && !principals.wasValid(hash)) {
      return refuse(request, reply, rateLimited(wrongSecrets));
    }
    return findPrincipal(principals, hash).then((found) => setPrincipal(found, request, reply));
  };
}

/** A wrong secret counts against its address, so that secrets cannot be guessed fast. */
function refuseSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  wrongSecretsByAddress: AddressLimiter,
  refusal: Fault,
): Outcome {
  if (refusal.status !== 401) return refuse(request, reply, refusal);
  const decision = wrongSecretsByAddress.count(request.ip);
  describeLimit(reply, decision);
  return refuse(request, reply, decision.allowed ? refusal : rateLimited(decision));
}

/** Runs after the rate limit, so requests of a suspended business count too. */
export const refuseSuspended: Step = (request, reply) =>
  request.principal?.suspended ? refuse(request, reply, fault("business_suspended")) : undefined;

function readSecret(authorization: string | undefined, mode: Mode): Result<string, Fault> {
  const secret = secretIn(authorization);
  if (!secret) return err(fault("missing_credential"));
  const secretMode = modeOfSecret(secret);
  if (secretMode === null) return err(fault("invalid_credential"));
  if (secretMode === mode) return ok(secret);
  return err(fault("wrong_environment", { text: wrongEnvironment[mode] }));
}

async function findPrincipal(
  principals: Principals,
  hash: string,
): Promise<Result<Principal, Fault>> {
  try {
    return principalOrFault(await principals.find(hash));
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    return err(fault("service_unavailable", { logText: "cannot look up the credential" }));
  }
}

function principalOrFault(found: Principal | null): Result<Principal, Fault> {
  return found ? ok(found) : err(fault("invalid_credential"));
}

const wrongEnvironment = {
  sandbox: "This is the sandbox, and the secret is a live one",
  live: "This is the live environment, and the secret is a test one",
} as const satisfies Record<Mode, string>;

/** The secret is the whole header value, or follows the word Bearer. */
export function secretIn(authorization: string | undefined): string {
  return (authorization ?? "").replace(/^Bearer( +|$)/i, "").trim();
}
