import { addMs, dayMs } from "@malipo/core";
import { newId, type Service } from "@malipo/platform";
import { freshNamespace, useSharedServers } from "@malipo/testing";
import { MongoClient, ObjectId } from "mongodb";
import { expect, it, onTestFinished } from "vitest";
import { openDeliveries } from "../src/store/deliveries.ts";
import { deliveryIdOf } from "../src/store/delivery-id.ts";

const { mongodbUri } = useSharedServers();
const now = new Date("2026-11-21T08:00:00Z");

it("finds due deliveries at the same cost, however many have been delivered", async () => {
  const client = await MongoClient.connect(mongodbUri);
  onTestFinished(() => client.close());
  const db = client.db(`${freshNamespace()}_webhook`);
  const deliveries = await openDeliveries({
    store: { db } as Service["store"],
    log: { warn: () => undefined },
    shutdown: { signal: AbortSignal.any([]) },
  });
  const [businessid, endpointid] = [newId(), newId()];
  const make = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: deliveryIdOf(`${name}${index}`, endpointid),
      businessid,
      endpointid,
      eventid: `${name}${index}`,
      type: "payment.completed",
      resourceid: newId(),
      sequence: 1,
      body: "{}",
      dueat: now,
      createdat: now,
    }));
  const done = make(3_000, "done");
  await deliveries.insert(done);
  const outcome = {
    status: "delivered",
    tries: 0,
    dueat: null,
    problem: null,
    failedat: null,
  } as const;
  const attempt = { id: "a", at: now, milliseconds: 1, status: 200, problem: null, response: "" };
  const results = done.map((delivery) => ({
    delivery: { ...delivery, tries: 0, version: 1 },
    attempt,
    outcome,
  }));
  await deliveries.record(results);
  await deliveries.insert(make(5, "waiting"));
  expect(await deliveries.due(endpointid, now, { except: [], limit: 100 })).toHaveLength(5);
  expect(await deliveries.nextDueAt(endpointid)).toEqual(now);

  const { executionStats } = await db
    .collection("deliveries")
    .find({ endpointid: new ObjectId(endpointid), dueat: { $lte: addMs(now, dayMs) } })
    .sort({ dueat: 1 })
    .limit(100)
    .explain("executionStats");
  expect(executionStats).toMatchObject({ nReturned: 5, totalDocsExamined: 5 });
  expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(6);
});
