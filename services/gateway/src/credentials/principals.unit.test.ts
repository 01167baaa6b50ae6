import { describe, expect, it, onTestFinished, vi } from "vitest";
import { cachePrincipals, type Principal } from "./principals.ts";

const duka: Principal = {
  credentialid: "507f1f77bcf86cd799439012",
  businessid: "507f1f77bcf86cd799439011",
  plan: "free",
  limits: null,
  suspended: false,
  expiresat: null,
};
const now = new Date("2026-11-21T08:00:00Z");

/** A cache before a source whose every look is counted. */
function principalsOver(find: (hash: string) => Promise<Principal | null>) {
  let looks = 0;
  const principals = cachePrincipals(
    {
      find: (hash) => {
        looks += 1;
        return find(hash);
      },
    },
    () => now,
  );
  return { principals, looks: () => looks };
}

describe("principals", () => {
  it("share one look at the store among requests that come together, and after", async () => {
    const { principals, looks } = principalsOver(async () => duka);
    const found = await Promise.all([
      principals.find("h"),
      principals.find("h"),
      principals.find("h"),
    ]);
    expect(found).toEqual([duka, duka, duka]);
    await principals.find("h");
    expect(looks()).toBe(1);
  });

  it("remember that a secret is unknown", async () => {
    const { principals, looks } = principalsOver(async () => null);
    expect(await principals.find("h")).toBeNull();
    expect(await principals.find("h")).toBeNull();
    expect(looks()).toBe(1);
  });

  it("do not remember that the store was away", async () => {
    let away = true;
    const { principals } = principalsOver(async () => {
      if (away) throw new Error("away");
      return duka;
    });
    await expect(principals.find("h")).rejects.toThrow("away");
    away = false;
    expect(await principals.find("h")).toEqual(duka);
  });

  it.each([
    ["a known secret for half a minute", duka, 30_000],
    ["an unknown one for five seconds", null, 5_000],
  ])("remember %s", async (_name, answer, lifetimeMs) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { principals, looks } = principalsOver(async () => answer);
    await principals.find("h");
    vi.advanceTimersByTime(lifetimeMs - 1);
    await principals.find("h");
    expect(looks()).toBe(1);
    vi.advanceTimersByTime(1);
    await principals.find("h");
    expect(looks()).toBe(2);
  });

  it("forget the oldest when too many are asked for", async () => {
    const { principals, looks } = principalsOver(async () => null);
    for (let index = 0; index <= 20_000; index += 1) await principals.find(String(index));
    await principals.find("20000");
    expect(looks()).toBe(20_001);
    await principals.find("0");
    expect(looks()).toBe(20_002);
  });

  it("know nobody by an expired credential", async () => {
    const past = new Date(now.getTime() - 1);
    const { principals } = principalsOver(async () => ({ ...duka, expiresat: past }));
    expect(await principals.find("h")).toBeNull();
  });

  it("forget a business, and what was being looked up meanwhile", async () => {
    const slow = Promise.withResolvers<Principal | null>();
    let answer: Promise<Principal | null> = Promise.resolve(duka);
    const { principals, looks } = principalsOver(() => answer);
    await principals.find("a");
    answer = slow.promise;
    const looking = principals.find("b");
    principals.forget(duka.businessid);
    slow.resolve(duka);
    await looking;
    await principals.find("a");
    await principals.find("b");
    expect(looks()).toBe(4);
    principals.forget("507f1f77bcf86cd799439099");
    await principals.find("a");
    expect(looks()).toBe(4);
    principals.forgetAll();
    await principals.find("a");
    expect(looks()).toBe(5);
  });
});
