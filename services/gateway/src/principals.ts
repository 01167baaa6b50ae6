import type { Limits, Plan } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import type { Businesses } from "./businesses.ts";
import type { Credentials } from "./credentials.ts";

/** On whose behalf a request comes. */
export interface Principal {
  readonly credentialid: string;
  readonly businessid: string;
  readonly plan: Plan;
  readonly limits: Limits | null;
  readonly suspended: boolean;
}

/** How long an answer is believed without asking the store again. */
const lifetimeMs = { known: 30 * secondMs, unknown: 5 * secondMs };
const entriesMax = 20_000;

interface Entry {
  readonly principal: Promise<Principal | null>;
  until: number;
}

export interface Principals {
  find(secretHash: string): Promise<Principal | null>;
}

export function readPrincipals(credentials: Credentials, businesses: Businesses): Principals {
  const find = async (hash: string): Promise<Principal | null> => {
    const credential = await credentials.findByHash(hash);
    const business = credential && (await businesses.find(credential.businessid));
    if (!business) return null;
    return {
      credentialid: credential.id,
      businessid: business.id,
      plan: business.plan,
      limits: business.limits,
      suspended: business.status === "suspended",
    };
  };
  return { find };
}

/** Remembers who a secret belongs to. Requests that come together share one look at the source. */
export function cachePrincipals(source: Principals): Principals {
  const entries = new Map<string, Entry>();

  function remember(hash: string): Promise<Principal | null> {
    const principal = source.find(hash);
    const entry: Entry = { principal, until: performance.now() + lifetimeMs.known };
    entries.delete(hash);
    const [oldest] = entries.keys();
    if (entries.size >= entriesMax && oldest !== undefined) entries.delete(oldest);
    entries.set(hash, entry);
    principal.then(
      (found) => {
        if (!found) entry.until = performance.now() + lifetimeMs.unknown;
      },
      // A store that did not answer has said nothing about the secret.
      () => entries.get(hash) === entry && entries.delete(hash),
    );
    return principal;
  }

  return {
    find: (hash) => {
      const entry = entries.get(hash);
      return entry && entry.until > performance.now() ? entry.principal : remember(hash);
    },
  };
}
