import type { MongoClient } from "mongodb";
import { expect, test } from "vitest";
import { testServer } from "./support/server.ts";

type Item = { _id: number; key: number; tags: string[]; n: number };

const noise = { slow: 0.02, slowMs: 5, upsertRace: 0.5, notPrimary: 0.005, cutAfter: 0.005 };

/** Runs all kinds of writes. Each is as likely to fail as to succeed. */
async function work(client: MongoClient, writer: number, steps: number): Promise<void> {
  const items = client.db("test").collection<Item>("items");
  let seed = writer + 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  const write = async (): Promise<unknown> => {
    const key = random(20);
    const tags = Array.from({ length: random(4) }, () => `t${random(5)}`);
    switch (random(6)) {
      case 0:
        return items.insertOne({ _id: random(1_000_000), key, tags, n: 0 });
      case 1:
        return items.updateOne({ key }, { $inc: { n: 1 }, $set: { tags } }, { upsert: true });
      case 2:
        return items.updateMany({ n: { $gt: random(5) } }, { $set: { tags } });
      case 3:
        return items.deleteOne({ key });
      case 4:
        return items.findOneAndUpdate({ key }, { $set: { key: random(20) } }, { sort: { n: 1 } });
      default:
        return client.withSession(async (session) => {
          session.startTransaction();
          await items.updateOne({ key }, { $inc: { n: 1 }, $set: { tags } }, { session });
          await items.insertOne(
            { _id: random(1_000_000), key: 100 + random(1_000_000), tags, n: 1 },
            { session },
          );
          await (random(2) === 0 ? session.commitTransaction() : session.abortTransaction());
        });
    }
  };
  for (let step = 0; step < steps; step++) await write().catch(() => undefined);
}

test("indexes and documents agree after concurrent writes with injected faults", async () => {
  const at = await testServer({ faults: { ...noise, seed: 11 } }, { minHeartbeatFrequencyMS: 5 });
  const items = at.client.db("test").collection<Item>("items");
  await items.createIndexes([
    { key: { key: 1 }, unique: true },
    { key: { tags: 1, n: -1 } },
    { key: { n: 1 }, name: "busy", partialFilterExpression: { n: { $gt: 2 } } },
  ]);
  await Promise.all(Array.from({ length: 8 }, (_, writer) => work(at.client, writer, 120)));
  const checked = await at.client.db("test").command({ validate: "items" });
  expect(checked).toMatchObject({ valid: true, errors: [] });
  expect(checked["nrecords"]).toBeGreaterThan(0);
  expect(await items.countDocuments()).toBe(await items.estimatedDocumentCount());
  await at.stop();
}, 60_000);
