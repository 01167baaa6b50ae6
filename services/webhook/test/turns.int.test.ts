import { addMs, hourMs } from "@malipo/core";
import { newId, openService, readConfig } from "@malipo/platform";
import { environmentOn, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { webhookConfig } from "../src/config.ts";
import { openTurns, type Turns } from "../src/store/turns.ts";

const shared = useSharedServers();
const now = new Date("2026-11-21T08:00:00Z");

async function openTestTurns(): Promise<Turns> {
  const environment = environmentOn(inOwnNamespace(shared));
  const key = Buffer.alloc(32, 7).toString("base64");
  const config = readConfig(webhookConfig, { ...environment, ENCRYPTION_KEY: key });
  const service = await openService("webhook", config, { clock: () => now, random: Math.random });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  return (await openTurns(service)).tests;
}

/** How long each turn waits, in the order of time. */
async function waitsOf(taking: ReturnType<Turns["take"]>[]): Promise<number[]> {
  const taken = await Promise.all(taking);
  const turns = taken.flatMap((each) => (each.ok ? each.value : []));
  const waits = turns.map((turn) => Math.max(0, turn.getTime() - now.getTime()));
  return waits.toSorted((one, other) => one - other);
}

describe("the turns of tests and resends", () => {
  it("are twenty at once for a webhook and then ten a second, also when taken at once", async () => {
    const turns = await openTestTurns();
    const endpoint = { id: newId(), businessid: newId() };
    const waits = await waitsOf(Array.from({ length: 30 }, () => turns.take(endpoint, 1, now)));
    expect(waits.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 0));
    expect(waits.slice(20)).toEqual(Array.from({ length: 10 }, (_, index) => 100 * (index + 1)));
  });

  it("are a hundred at once for a business and then twenty a second, and its own only", async () => {
    const turns = await openTestTurns();
    const businessid = newId();
    const taking = Array.from({ length: 11 }, () =>
      turns.take({ id: newId(), businessid }, 10, now),
    );
    const waits = await waitsOf(taking);
    expect(waits.slice(0, 100).every((wait) => wait === 0)).toBe(true);
    expect(waits.slice(100)).toEqual(Array.from({ length: 10 }, (_, index) => 50 * (index + 1)));
    expect(await waitsOf([turns.take({ id: newId(), businessid: newId() }, 20, now)])).toEqual(
      Array.from({ length: 20 }, () => 0),
    );
  });

  it("are refused with Retry-After while one would wait longer than ten minutes", async () => {
    const turns = await openTestTurns();
    const endpoint = { id: newId(), businessid: newId() };
    expect(await turns.take(endpoint, 6_100, now)).toMatchObject({ ok: true });
    expect(await turns.take(endpoint, 1, now)).toMatchObject({
      error: { status: 503, retryAfterSeconds: 8 },
    });
    expect(await turns.take(endpoint, 1, addMs(now, 8_000))).toMatchObject({ ok: true });
  });

  it("are not spent by a refusal, neither the webhook's nor its business's", async () => {
    const turns = await openTestTurns();
    const [busy, idle, full, another] = [newId(), newId(), newId(), newId()];
    const burst = Array.from({ length: 20 }, () => 0);
    await turns.take({ id: newId(), businessid: busy }, 12_200, now);
    for (let times = 0; times < 3; times += 1) {
      expect(await turns.take({ id: another, businessid: busy }, 20, now)).toMatchObject({
        error: { status: 503, retryAfterSeconds: 5 },
      });
    }
    // The same webhook under another business shows the webhook's own turns.
    expect(await waitsOf([turns.take({ id: another, businessid: idle }, 20, now)])).toEqual(burst);

    await turns.take({ id: full, businessid: newId() }, 6_100, now);
    for (let times = 0; times < 10; times += 1) {
      expect(await turns.take({ id: full, businessid: idle }, 20, now)).toMatchObject({
        error: { status: 503, retryAfterSeconds: 8 },
      });
    }
    expect(await waitsOf([turns.take({ id: newId(), businessid: idle }, 20, now)])).toEqual(burst);
  });

  it("are saved up while nobody takes them, and never beyond twenty", async () => {
    const turns = await openTestTurns();
    const endpoint = { id: newId(), businessid: newId() };
    await turns.take(endpoint, 20, addMs(now, -hourMs));
    expect(await waitsOf([turns.take(endpoint, 20, now)])).toEqual(
      Array.from({ length: 20 }, () => 0),
    );
    expect(await waitsOf([turns.take(endpoint, 2, now)])).toEqual([100, 200]);
  });

  it("are refused for as long as the fuller of webhook and business is full", async () => {
    const turns = await openTestTurns();
    const [full, fuller] = [newId(), newId()];
    await turns.take({ id: full, businessid: newId() }, 6_100, now);
    await turns.take({ id: newId(), businessid: fuller }, 12_500, now);
    expect(await turns.take({ id: full, businessid: fuller }, 1, now)).toMatchObject({
      error: { status: 503, retryAfterSeconds: 20 },
    });
  });
});
