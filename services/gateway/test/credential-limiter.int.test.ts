import {
  environmentOn,
  eventually,
  freshNamespace,
  inOwnNamespace,
  settableClock,
  startStore,
  useSharedServers,
} from "@malipo/testing";
import { openService, platformConfig, readConfig, type Service } from "@malipo/platform";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Ledgers, openLedgers } from "../src/store/rate-limit-windows.ts";
import { createLimiter, type Limiter } from "../src/rate-limits/credential-limiter.ts";
import { windowsFor } from "../src/domain/rate-limit/windows.ts";

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

/** Several gateways' limiters over one store and one clock, with a count of what the store was asked. */
async function gateways(count: number, servers = inOwnNamespace(shared)) {
  const clock = settableClock(noon);
  const service = await serviceOn(servers);
  const ledgers = await openLedgers(service);
  const asked = { reads: 0, swaps: 0, away: 0 };
  const counted: Ledgers = {
    read: (...given) => {
      asked.reads += 1;
      return ledgers.read(...given);
    },
    swap: (...given) => {
      asked.swaps += 1;
      return ledgers.swap(...given);
    },
  };
  const nowMs = () => clock.now().getTime();
  const onStoreAway = () => void (asked.away += 1);
  const limiters = Array.from({ length: count }, () =>
    createLimiter({ ledgers: counted, nowMs, onStoreAway }),
  );
  return { limiters, clock, asked, service };
}

async function admitted(limiters: readonly Limiter[], requests: number, windows = free) {
  const decisions = await Promise.all(
    Array.from({ length: requests }, async (_, index) =>
      limiters[index % limiters.length]?.take("credential", windows),
    ),
  );
  return decisions.filter((decision) => decision?.allowed).length;
}

describe("the limiter", () => {
  it("admits exactly the limit, however many gateways are asked at once", async () => {
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

  it("never refuses a steady request a second on the smallest plan, by one gateway or by two", async () => {
    for (const count of [1, 2]) {
      const { limiters, clock } = await gateways(count);
      for (let second = 0; second < 180; second += 1) {
        const decision = await limiters[second % count]?.take("credential", free);
        expect({ second, allowed: decision?.allowed }).toEqual({ second, allowed: true });
        clock.advance(1_000);
      }
    }
  });

  it("asks the store nothing for a refusal that it knows already", async () => {
    const { limiters, asked } = await gateways(1);
    await admitted(limiters, 20);
    const before = { ...asked };
    expect(await admitted(limiters, 1_000)).toBe(0);
    expect(asked).toEqual(before);
  });

  it("writes at most once in fifty requests where a window allows ten thousand", async () => {
    const { limiters, clock, asked } = await gateways(2);
    const wide = windowsFor(
      "enterprise",
      { second: 10_000, minute: 200_000, day: 5_000_000 },
      "plan",
    );
    let allowed = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      allowed += await admitted(limiters, 64, wide);
      clock.advance(20);
    }
    expect(allowed).toBe(6_400);
    expect(asked.swaps).toBeLessThanOrEqual(allowed / 50);
  });

  it("describes the window with the fewest requests left", async () => {
    const { limiters, clock } = await gateways(1);
    const [limiter] = limiters;
    expect(await limiter?.take("credential", free)).toEqual({
      allowed: true,
      limit: 5,
      remaining: 4,
      resetMs: noon.getTime() + 1_000,
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

  it("goes on with a small allowance while the store is away, and is exact again afterwards", async () => {
    const store = await startStore();
    onTestFinished(async () => void (await store.stop()));
    const { limiters, clock, asked, service } = await gateways(1, {
      ...shared,
      namespace: freshNamespace(),
      mongodbUri: store.url,
    });
    await store.kill();
    await eventually(() => service.store.isAway(), 15_000);
    // A tenth of each limit: of 5 a second at least one, of 60 a minute six.
    expect(await admitted(limiters, 20)).toBe(1);
    expect(asked.away).toBeGreaterThan(0);
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
