import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { isStoreAway } from "@malipo/platform";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Mode } from "../config.ts";
import type { Principal, Principals } from "../principals.ts";
import { hashSecret, modeOfSecret } from "../secret.ts";
import { refuse } from "./problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Lets only active businesses through, known by their secret. */
export function authenticateBusiness(principals: Principals, mode: Mode): Authenticate {
  return async (request, reply) => {
    const found = await principalOf(request.headers.authorization, principals, mode);
    if (!found.ok) return refuse(request, reply, found.error);
    request.principal = found.value;
    return undefined;
  };
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
    return principal.suspended ? err(fault("business_suspended")) : ok(principal);
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
  return (authorization ?? "").replace(/^Bearer +/i, "").trim();
}
