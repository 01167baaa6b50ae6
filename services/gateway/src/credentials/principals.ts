import type { RateLimits, BusinessPlan } from "@malipo/contracts";
import { type Clock, secondMs } from "@malipo/core";
import type { Businesses } from "../store/businesses.ts";
import type { Credentials } from "../store/credentials.ts";

/** On whose behalf a request comes. */
export interface Principal {
  readonly credentialid: string;
  readonly businessid: string;
  readonly plan: BusinessPlan;
  readonly limits: RateLimits | null;
  readonly suspended: boolean;
  readonly expiresat: Date | null;
}

export interface Principals {
  find(secretHash: string): Promise<Principal | null>;
}

export interface CachedPrincipals extends Principals {
  /** What is believed without asking; undefined where it has to be asked. */
  recall(secretHash: string): Principal | null | undefined;
  /** Whether the secret was a right one lately: nobody has guessed it. */
  hasMet(secretHash: string): boolean;
  forget(businessid: string): void;
  forgetAll(): void;
}

/** How long an answer is believed without asking the store again. */
const lifetimeMs = { known: 30 * secondMs, unknown: 5 * secondMs };
const entriesMax = 20_000;

interface Entry {
  readonly principal: Promise<Principal | null>;
  /** Absent until the source has answered. */
  found?: Principal | null;
  until: number;
}

export function readPrincipals(credentials: Credentials, businesses: Businesses): Principals {
  const find = async (hash: string): Promise<Principal | null> => {
    const credential = await credentials.findByHash(hash);
    if (!credential || credential.revokedat) return null;
    const { businessid, expiresat } = credential;
    const business = await businesses.find(businessid, businessid);
    if (!business) return null;
    const { plan, limits, status } = business.entity;
    return {
      credentialid: credential.id,
      businessid,
      plan,
      limits,
      suspended: status === "suspended",
      expiresat,
    };
  };
  return { find };
}

/** Remembers who a secret belongs to. Requests that come together share one look at the source. */
export function cachePrincipals(source: Principals, clock: Clock): CachedPrincipals {
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
        entry.found = found;
        if (!found) entry.until = performance.now() + lifetimeMs.unknown;
      },
      // A store that did not answer has said nothing about the secret.
      () => entries.get(hash) === entry && entries.delete(hash),
    );
    return principal;
  }

  function fresh(hash: string): Entry | undefined {
    const entry = entries.get(hash);
    return entry && entry.until > performance.now() ? entry : undefined;
  }
  const unexpired = (principal: Principal | null) =>
    principal?.expiresat && principal.expiresat <= clock() ? null : principal;

  return {
    find: async (hash) => unexpired(await (fresh(hash)?.principal ?? remember(hash))),
    recall(hash) {
      const found = fresh(hash)?.found;
      return found && unexpired(found);
    },
    hasMet: (hash) => Boolean(entries.get(hash)?.found),
    forget(businessid) {
      for (const [hash, { found }] of entries) {
        // Whoever is still looking may have looked too early.
        if (found === undefined || found?.businessid === businessid) entries.delete(hash);
      }
    },
    forgetAll: () => entries.clear(),
  };
}
