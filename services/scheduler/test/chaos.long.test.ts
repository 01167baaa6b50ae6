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
const patienceMs = 400_000;
const victims: ServiceProcess[] = [];

async function another(name: ServiceName): Promise<void> {
  const { natsUrl, mongodbUri, namespace } = system.servers;
  const env = {
    NATS_URL: natsUrl,
    MONGODB_URI: mongodbUri,
    NAMESPACE: namespace,
    LOG_LEVEL: "warn",
    // Phones rest: what is prompted is not what is counted here.
    PROMPT_HOURS: new Date().getUTCHours() < 12 ? "23-24" : "2-3",
  };
  const one = await prepareService(name, env);
  victims.push(one);
  await one.start();
}

afterAll(async () => {
  await Promise.all(victims.map(async (one) => one.stop()));
});

/** Each comes when so many have been billed, and so none comes when all is done. */
function killsFrom(random: (below: number) => number) {
  return Array.from({ length: kills }, () => ({
    billed: random((count * 9) / 10),
    victim: random(victims.length),
  })).toSorted((one, other) => one.billed - other.billed);
}

describe("two schedulers and three workers that are killed again and again", () => {
  it(`bill ${count} due subscriptions: so many invoices, no more, no less`, async () => {
    for (const name of [
      "subscription",
      "subscription",
      "subscription",
      "scheduler",
      "scheduler",
    ] as const) {
      await another(name);
    }
    const ids = await manyDue(system, count);
    const mine = { "issuedfor.subscriptionid": { $in: ids } };
    const invoices = system.database("invoice").collection("invoices");
    const subscriptions = system.database("subscription").collection("subscriptions");
    const left = async () => subscriptions.countDocuments({ dueat: { $lte: new Date() } });
    let killedInTime = 0;
    for (const { billed, victim } of killsFrom(randomFrom(seed))) {
      await eventually(async () => count - (await left()) >= billed, patienceMs);
      if ((await left()) > 0) killedInTime += 1;
      await victims[victim]?.kill();
      await victims[victim]?.start();
    }
    await eventually(async () => {
      expect(await left()).toBe(0);
      expect(await invoices.countDocuments(mine)).toBe(count);
    }, patienceMs);
    expect(killedInTime).toBeGreaterThan(0);
    expect(await invoices.distinct("issuekey", mine)).toHaveLength(count);
    expect(await invoices.distinct("invoiceno", mine)).toHaveLength(count);
    const once = { _id: { $in: ids.map((id) => new ObjectId(id)) }, invoices: { $size: 1 } };
    expect(await subscriptions.countDocuments(once)).toBe(count);
  });
});
