import type { BusinessPlan, RateLimits } from "@malipo/contracts";
import type { Business } from "./business.ts";
import type { Credential } from "./credential.ts";

/** The business and credential that a request is authenticated as. */
export interface Principal {
  readonly credentialid: string;
  readonly businessid: string;
  readonly plan: BusinessPlan;
  readonly limits: RateLimits | null;
  readonly suspended: boolean;
  readonly expiresat: Date | null;
}

export function principalOf({ id, expiresat }: Credential, business: Business): Principal {
  const { plan, limits, status } = business;
  return {
    credentialid: id,
    businessid: business.id,
    plan,
    limits,
    suspended: status === "suspended",
    expiresat,
  };
}
