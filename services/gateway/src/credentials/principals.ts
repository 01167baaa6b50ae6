import { type Clock, secondMs } from "@malipo/core";
import { dropOldest } from "../domain/drop-oldest.ts";
import { type Principal, principalOf } from "../domain/principal.ts";
import type { Businesses } from "../store/businesses.ts";
import type { Credentials } from "../store/credentials.ts";

export interface Principals {
  /** Null for a secret that is unknown, revoked or expired. */
  find(secretHash: string): Promise<Principal | null>;
}

export interface CachedPrincipals extends Principals {
  /** The cached result; undefined when the store must be asked. */
  findCached(secretHash: string): Principal | null | undefined;
  /**
   * True if the secret was valid when it was last looked up, so it is not a guess. An eviction does
   * not change that; a lookup that no longer finds the secret does.
   */
  wasValid(secretHash: string): boolean;
  evictBusiness(businessid: string): void;
  evictAll(): void;
}

const lifetimeMs = { valid: 30 * secondMs, unknown: 5 * secondMs };
const entriesMax = 20_000;
const validHashesMax = 20_000;

interface Entry {
  readonly principal: Promise<Principal | null>;
  /** Undefined until the lookup is done. */
  found?: Principal | null;
  /** In milliseconds of the monotonic clock. */
  freshUntilMs: number;
}

export function readPrincipals(credentials: Credentials, businesses: Businesses): Principals {
  return {
    async find(secretHash) {
      const credential = await credentials.findByHash(secretHash);
      if (!credential || credential.revokedat) return null;
      const business = await businesses.find(credential.businessid, credential.businessid);
      return business ? principalOf(credential, business.entity) : null;
    },
  };
}

/**
 * Caches lookups by secret hash. Concurrent requests with one secret share one lookup. Lifetimes are
 * measured on a monotonic clock, so setting the machine's clock does not change them.
 */
export function cachePrincipals(
  source: Principals,
  clock: Clock,
  monotonicMs: () => number = () => performance.now(),
): CachedPrincipals {
  const entries = new Map<string, Entry>();
  /** Kept apart from `entries`, so that neither an eviction nor a flood of guesses removes one. */
  const validHashes = new Set<string>();

  function lookUp(hash: string): Promise<Principal | null> {
    const principal = source.find(hash);
    const entry: Entry = { principal, freshUntilMs: monotonicMs() + lifetimeMs.valid };
    entries.delete(hash);
    dropOldest(entries, entriesMax);
    entries.set(hash, entry);
    principal.then(
      (found) => {
        entry.found = found;
        if (entries.get(hash) === entry) rememberValid(hash, found);
        if (!found) entry.freshUntilMs = monotonicMs() + lifetimeMs.unknown;
      },
      // A failed lookup says nothing about the secret, so the next request asks again.
      () => entries.get(hash) === entry && entries.delete(hash),
    );
    return principal;
  }

  function rememberValid(hash: string, found: Principal | null): void {
    validHashes.delete(hash);
    if (!found) return;
    dropOldest(validHashes, validHashesMax);
    validHashes.add(hash);
  }

  function freshEntry(hash: string): Entry | undefined {
    const entry = entries.get(hash);
    return entry && entry.freshUntilMs > monotonicMs() ? entry : undefined;
  }

  const withoutExpired = (principal: Principal | null) =>
    principal?.expiresat && principal.expiresat <= clock() ? null : principal;

  return {
    find: async (hash) => withoutExpired(await (freshEntry(hash)?.principal ?? lookUp(hash))),
    findCached(hash) {
      const found = freshEntry(hash)?.found;
      return found && withoutExpired(found);
    },
    wasValid: (hash) => validHashes.has(hash),
    evictBusiness(businessid) {
      for (const [hash, { found }] of entries) {
        // A lookup in progress may have read the store before the change.
        if (found === undefined || found?.businessid === businessid) entries.delete(hash);
      }
    },
    evictAll: () => entries.clear(),
  };
}
