import type { ServiceName } from "@malipo/contracts";
import {
  eventually,
  prepareService,
  randomFrom,
  type ServiceProcess,
  useSystem,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { manyDue } from "./many-due.ts";

const system = useSystem(["invoice"]);
const count = 5_000;
const kills = 30;
const seed = 5;
const timeoutMs = 400_000;
const victims: ServiceProcess[] = [];

async function startVictim(name: ServiceName): Promise<void> {
  const { natsUrl, mongodbUri, namespace } = system.servers;
  const env = {
    NATS_URL: natsUrl,
    MONGODB_URI: mongodbUri,
    NAMESPACE: namespace,
    LOG_LEVEL: "warn",
    // No prompts: this test counts invoices only.
    PROMPT_HOURS: new Date().getUTCHours() < 12 ? "23-24" : "2-3",
  };
  const one = await prepareService(name, env);
  victims.push(one);
  await one.start();
}

afterAll(async () => {
  await Promise.all(victims.map(async (one) => one.stop()));
});

/** Each kill happens after a number of billed subscriptions, so that none happens after the last. */
function killsFrom(random: (below: number) => number) {
  return Array.from({ length: kills }, () => ({
    billed: random((count * 9) / 10),
    victim: random(victims.length),
  })).toSorted((one, other) => one.billed - other.billed);
}

describe("two schedulers and three subscription services that are killed repeatedly", () => {
  it(`bill ${count} due subscriptions exactly once each`, async () => {
    for (const name of [
      "subscription",
      "subscription",
      "subscription",
      "scheduler",
      "scheduler",
    ] as const) {
      await startVictim(name);
    }
    const ids = await manyDue(system, count);
    const mine = { "issuedfor.subscriptionid": { $in: ids } };
    const invoices = system.database("invoice").collection("invoices");
    const subscriptions = system.database("subscription").collection("subscriptions");
    const left = async () => subscriptions.countDocuments({ dueat: { $lte: new Date() } });
    let killedInTime = 0;
    for (const { billed, victim } of killsFrom(randomFrom(seed))) {
      await eventually(async () => count - (await left()) >= billed, timeoutMs);
      if ((await left()) > 0) killedInTime += 1;
      await victims[victim]?.kill();
      await victims[victim]?.start();
    }
    await eventually(async () => {
      expect(await left()).toBe(0);
      expect(await invoices.countDocuments(mine)).toBe(count);
    }, timeoutMs);
    expect(killedInTime).toBeGreaterThan(0);
    expect(await invoices.distinct("issuekey", mine)).toHaveLength(count);
    expect(await invoices.distinct("invoiceno", mine)).toHaveLength(count);
    const once = { _id: { $in: ids.map((id) => new ObjectId(id)) }, invoices: { $size: 1 } };
    expect(await subscriptions.countDocuments(once)).toBe(count);
  });
});
