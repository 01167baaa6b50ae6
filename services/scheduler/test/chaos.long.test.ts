import type { ServiceName } from "@malipo/contracts";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, prepareService, type ServiceProcess, useSystem } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import { manyDue } from "./many-due.ts";

const system = useSystem(["invoice"]);
const count = 5_000;
const kills = 30;
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

describe("two schedulers and three workers that are killed again and again", () => {
  it(`bill ${count} due subscriptions: so many invoices, no more, no less`, async () => {
    const processes = [
      "subscription",
      "subscription",
      "subscription",
      "scheduler",
      "scheduler",
    ] as const;
    for (const name of processes) {
      await another(name);
    }
    const ids = await manyDue(system, count);
    const mine = { "issuedfor.subscriptionid": { $in: ids } };
    const invoices = system.database("invoice").collection("invoices");
    const subscriptions = system.database("subscription").collection("subscriptions");
    for (let kill = 0; kill < kills; kill += 1) {
      const victim = victims[Math.floor(Math.random() * victims.length)];
      await victim?.kill();
      await victim?.start();
      await sleep(Math.random() * 500);
    }
    await eventually(async () => {
      expect(await subscriptions.countDocuments({ dueat: { $lte: new Date() } })).toBe(0);
      expect(await invoices.countDocuments(mine)).toBe(count);
    }, patienceMs);
    expect(await invoices.distinct("issuekey", mine)).toHaveLength(count);
    expect(await invoices.distinct("invoiceno", mine)).toHaveLength(count);
    const once = { _id: { $in: ids.map((id) => new ObjectId(id)) }, invoices: { $size: 1 } };
    expect(await subscriptions.countDocuments(once)).toBe(count);
  });
});
