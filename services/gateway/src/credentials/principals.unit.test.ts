import { settableClock } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import type { Principal } from "../domain/principal.ts";
import { cachePrincipals } from "./principals.ts";

const duka: Principal = {
  credentialid: "507f1f77bcf86cd799439012",
  businessid: "507f1f77bcf86cd799439011",
  plan: "free",
  limits: null,
  suspended: false,
  expiresat: null,
};
const now = new Date("2026-11-21T08:00:00Z");

/** A cache in front of a source whose lookups are counted. */
function cacheOver(find: (hash: string) => Promise<Principal | null>) {
  let lookups = 0;
  const clock = settableClock(now);
  const source = {
    find: (hash: string) => {
      lookups += 1;
      return find(hash);
    },
  };
  const principals = cachePrincipals(source, clock.now, () => clock.now().getTime());
  return { principals, lookups: () => lookups, clock };
}

describe("the cache of principals", () => {
  it("looks a secret up once for concurrent requests and later ones", async () => {
    const { principals, lookups } = cacheOver(async () => duka);
    const found = await Promise.all([
      principals.find("h"),
      principals.find("h"),
      principals.find("h"),
    ]);
    expect(found).toEqual([duka, duka, duka]);
    await principals.find("h");
    expect(lookups()).toBe(1);
  });

  it("caches that a secret is unknown", async () => {
    const { principals, lookups } = cacheOver(async () => null);
    expect(await principals.find("h")).toBeNull();
    expect(await principals.find("h")).toBeNull();
    expect(lookups()).toBe(1);
  });

  it("does not cache a failed lookup", async () => {
    let isAway = true;
    const { principals } = cacheOver(async () => {
      if (isAway) throw new Error("away");
      return duka;
    });
    await expect(principals.find("h")).rejects.toThrow("away");
    isAway = false;
    expect(await principals.find("h")).toEqual(duka);
  });

  it.each([
    ["a valid secret for 30 seconds", duka, 30_000],
    ["an unknown secret for 5 seconds", null, 5_000],
  ])("caches %s", async (_name, principal, lifetimeMs) => {
    const { principals, lookups, clock } = cacheOver(async () => principal);
    await principals.find("h");
    clock.advance(lifetimeMs - 1);
    await principals.find("h");
    expect(lookups()).toBe(1);
    clock.advance(1);
    await principals.find("h");
    expect(lookups()).toBe(2);
  });

  it("drops the oldest entry beyond 20,000", async () => {
    const { principals, lookups } = cacheOver(async () => null);
    for (let index = 0; index <= 20_000; index += 1) await principals.find(String(index));
    await principals.find("20000");
    expect(lookups()).toBe(20_001);
    await principals.find("0");
    expect(lookups()).toBe(20_002);
  });

  it("finds no principal for an expired credential", async () => {
    const past = new Date(now.getTime() - 1);
    const { principals } = cacheOver(async () => ({ ...duka, expiresat: past }));
    expect(await principals.find("h")).toBeNull();
  });

  it("evicts the entries of a business and the lookups in progress", async () => {
    const slow = Promise.withResolvers<Principal | null>();
    let result: Promise<Principal | null> = Promise.resolve(duka);
    const { principals, lookups } = cacheOver(() => result);
    await principals.find("a");
    result = slow.promise;
    const inProgress = principals.find("b");
    principals.evictBusiness(duka.businessid);
    slow.resolve(duka);
    await inProgress;
    await principals.find("a");
    await principals.find("b");
    expect(lookups()).toBe(4);
    principals.evictBusiness("507f1f77bcf86cd799439099");
    await principals.find("a");
    expect(lookups()).toBe(4);
    principals.evictAll();
    await principals.find("a");
    expect(lookups()).toBe(5);
  });

  it("remembers through evictions, lookups and guesses that a secret was valid", async () => {
    let found: Promise<Principal | null> = Promise.resolve(duka);
    const { principals } = cacheOver(async (hash) => (hash === "known" ? found : null));
    await principals.find("known");
    const evictions = [
      () => principals.evictBusiness(duka.businessid),
      () => principals.evictAll(),
    ];
    for (const evict of evictions) {
      evict();
      expect(principals.wasValid("known")).toBe(true);
    }
    const slow = Promise.withResolvers<Principal | null>();
    found = slow.promise;
    const inProgress = principals.find("known");
    expect(principals.wasValid("known")).toBe(true);
    slow.reject(new Error("away"));
    await expect(inProgress).rejects.toThrow("away");
    expect(principals.wasValid("known")).toBe(true);
    for (let guess = 0; guess <= 20_000; guess += 1) await principals.find(String(guess));
    expect(principals.wasValid("known")).toBe(true);
    expect(principals.wasValid("0")).toBe(false);
  });

  it("forgets that a secret was valid when a lookup no longer finds it", async () => {
    let found: Principal | null = duka;
    const { principals } = cacheOver(async () => found);
    await principals.find("h");
    found = null;
    principals.evictBusiness(duka.businessid);
    expect(await principals.find("h")).toBeNull();
    expect(principals.wasValid("h")).toBe(false);
  });

  it("does not learn from a lookup that was evicted that a secret is valid", async () => {
    const beforeRevocation = Promise.withResolvers<Principal | null>();
    let found = beforeRevocation.promise;
    const { principals } = cacheOver(() => found);
    const early = principals.find("h");
    principals.evictBusiness(duka.businessid);
    found = Promise.resolve(null);
    expect(await principals.find("h")).toBeNull();
    beforeRevocation.resolve(duka);
    await early;
    expect(principals.wasValid("h")).toBe(false);
  });
});
