import { openService, platformConfig, readConfig, type Service } from "@malipo/platform";
import {
  environmentOn,
  eventually,
  freshNamespace,
  inOwnNamespace,
  settableClock,
  startStore,
  useSharedServers,
} from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { windowsFor } from "../src/domain/rate-limit/windows.ts";
import {
  createCredentialLimiter,
  type CredentialLimiter,
} from "../src/limiters/credential-limiter.ts";
import { openWindowStore, type WindowStore } from "../src/store/rate-limit-windows.ts";

const shared = useSharedServers();
const noon = new Date("2026-11-21T12:00:00Z");
const free = windowsFor("free", null, "plan");

async function serviceOn(servers: typeof shared): Promise<Service> {
  const config = readConfig(platformConfig, environmentOn(servers));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return service;
}

/** Limiters of several gateways over one store and one clock. Counts the calls of the store. */
async function gateways(count: number, servers = inOwnNamespace(shared)) {
  const clock = settableClock(noon);
  const service = await serviceOn(servers);
  const windowStore = await openWindowStore(service);
  const calls = { reads: 0, replaces: 0, away: 0 };
  const counted: WindowStore = {
    read: (...given) => {
      calls.reads += 1;
      return windowStore.read(...given);
    },
    replace: (...given) => {
      calls.replaces += 1;
      return windowStore.replace(...given);
    },
  };
  const onStoreAway = () => void (calls.away += 1);
  const limiters = Array.from({ length: count }, () =>
    createCredentialLimiter({ windowStore: counted, clock: clock.now, onStoreAway }),
  );
  return { limiters, clock, calls, service };
}

async function admitted(limiters: readonly CredentialLimiter[], requests: number, windows = free) {
  const decisions = await Promise.all(
    Array.from({ length: requests }, async (_, index) =>
      limiters[index % limiters.length]?.take("credential", windows),
    ),
  );
  return decisions.filter((decision) => decision?.allowed).length;
}

describe("the credential limiter", () => {
  it("admits exactly the limit over four gateways", async () => {
    const { limiters, clock } = await gateways(4);
    expect(await admitted(limiters, 100)).toBe(5);
    clock.advance(1_000);
    expect(await admitted(limiters, 100)).toBe(5);
    let inMinute = 10;
    for (let second = 2; second < 20; second += 1) {
      clock.advance(1_000);
      inMinute += await admitted(limiters, 40);
    }
    expect(inMinute).toBeLessThanOrEqual(60);
    expect(inMinute).toBeGreaterThanOrEqual(54);
  });

  it("never refuses one request a second on the smallest plan, over one or two gateways", async () => {
    for (const count of [1, 2]) {
      const { limiters, clock } = await gateways(count);
      for (let second = 0; second < 180; second += 1) {
        const decision = await limiters[second % count]?.take("credential", free);
        expect({ second, allowed: decision?.allowed }).toEqual({ second, allowed: true });
        clock.advance(1_000);
      }
    }
  });

  it("does not call the store for further refusals in a used-up period", async () => {
    const { limiters, calls } = await gateways(1);
    await admitted(limiters, 20);
    const before = { ...calls };
    expect(await admitted(limiters, 1_000)).toBe(0);
    expect(calls).toEqual(before);
  });

  it("writes at most once in 50 requests when the limit is 10,000 a second", async () => {
    const { limiters, clock, calls } = await gateways(2);
    const wide = windowsFor(
      "enterprise",
      { second: 10_000, minute: 200_000, day: 5_000_000 },
      "plan",
    );
    let allowed = 0;
    for (let round = 0; round < 100; round += 1) {
      allowed += await admitted(limiters, 64, wide);
      clock.advance(20);
    }
    expect(allowed).toBe(6_400);
    expect(calls.replaces).toBeLessThanOrEqual(allowed / 50);
  });

  it("describes the window with the fewest requests left", async () => {
    const { limiters, clock } = await gateways(1);
    const [limiter] = limiters;
    expect(await limiter?.take("credential", free)).toEqual({
      allowed: true,
      limit: 5,
      remaining: 4,
      resetMs: noon.getTime() + 1_000,
      waitMs: 1_000,
    });
    for (let second = 1; second <= 57; second += 1) {
      clock.advance(1_000);
      await limiter?.take("credential", free);
    }
    clock.advance(1_000);
    expect(await limiter?.take("credential", free)).toMatchObject({
      limit: 60,
      remaining: 1,
      resetMs: noon.getTime() + 60_000,
    });
  });

  it("admits a tenth of each limit while the store is away, and is exact again afterwards", async () => {
    const store = await startStore();
    onTestFinished(async () => void (await store.stop()));
    const { limiters, clock, calls, service } = await gateways(1, {
      ...shared,
      namespace: freshNamespace(),
      mongodbUri: store.url,
    });
    await store.kill();
    await eventually(() => service.store.isAway(), 15_000);
    // A tenth of each limit: of 5 a second at least one, of 60 a minute six.
    expect(await admitted(limiters, 20)).toBe(1);
    expect(calls.away).toBeGreaterThan(0);
    let inMinute = 1;
    for (let second = 1; second < 59; second += 1) {
      clock.advance(1_000);
      inMinute += await admitted(limiters, 2);
    }
    expect(inMinute).toBe(6);
    await store.start();
    await eventually(() => !service.store.isAway(), 15_000);
    clock.advance(60_000);
    expect(await admitted(limiters, 20)).toBe(5);
  });
});
