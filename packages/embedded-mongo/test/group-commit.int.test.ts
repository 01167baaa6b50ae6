import type { MongoBulkWriteError } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer({}, { minPoolSize: 32, maxPoolSize: 32 });
  await list().insertOne({ first: true });
});
afterAll(() => at.stop());

const list = () => at.client.db("test").collection("list");

async function commitCount(): Promise<number> {
  const status = await at.client.db("admin").command({ serverStatus: 1 });
  return status["metrics"].commits as number;
}

async function commitsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = await commitCount();
  await work();
  return (await commitCount()) - before;
}

test("concurrent writes share commits", async () => {
  const commits = await commitsDuring(async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 32 }, () => list().insertOne({ round })));
    }
  });
  expect(await list().countDocuments({ round: { $gte: 0 } })).toBe(320);
  expect(commits).toBeLessThan(200);
  expect(commits).toBeGreaterThanOrEqual(10);
});

test("the sequential writes of a single client have one commit each", async () => {
  const commits = await commitsDuring(async () => {
    for (let n = 0; n < 20; n++) await list().insertOne({ n });
  });
  expect(commits).toBe(20);
});

test("a bulk of updates uses one commit and counts its results by kind", async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `bulk ${n}`);
  const bulk = at.client.db("test").collection<{ _id: string; n: number }>("bulk");
  await bulk.insertMany(ids.slice(0, 90).map((_id) => ({ _id, n: 0 })));
  const updates = ids.map((_id) => ({
    updateOne: { filter: { _id }, update: { $inc: { n: 1 } }, upsert: true },
  }));
  const commits = await commitsDuring(async () => {
    const result = await bulk.bulkWrite(updates, { ordered: false });
    expect(result).toMatchObject({ matchedCount: 90, modifiedCount: 90, upsertedCount: 10 });
    expect(result.upsertedIds[90]).toBe("bulk 90");
  });
  expect(commits).toBe(1);
});

test("an ordered bulk stops at its first failure, an unordered one continues", async () => {
  const mixed = at.client.db("test").collection<{ _id: string; n: number }>("mixed");
  for (const ordered of [true, false]) {
    await mixed.deleteMany({});
    await mixed.insertOne({ _id: "taken", n: 0 });
    const bulk = mixed.bulkWrite(
      [
        { insertOne: { document: { _id: "a", n: 1 } } },
        { updateOne: { filter: { _id: "a" }, update: { $inc: { n: 1 } } } },
        { insertOne: { document: { _id: "taken", n: 1 } } },
        { updateOne: { filter: { _id: "b" }, update: { $set: { n: 5 } }, upsert: true } },
        { replaceOne: { filter: { _id: "taken" }, replacement: { n: 9 } } },
        { deleteOne: { filter: { _id: "taken" } } },
      ],
      { ordered },
    );
    const error = (await bulk.then(
      () => undefined,
      (reason: unknown) => reason,
    )) as MongoBulkWriteError | undefined;
    expect(error?.code).toBe(11000);
    expect([error?.writeErrors].flat().map((one) => one?.index)).toEqual([2]);
    const left = (await mixed.find().sort({ _id: 1 }).toArray()).map(({ _id, n }) => [_id, n]);
    expect(left).toEqual(
      ordered
        ? [
            ["a", 2],
            ["taken", 0],
          ]
        : [
            ["a", 2],
            ["b", 5],
          ],
    );
  }
});

test("a failed write does not affect the other writes of its commit group", async () => {
  await list().createIndex({ key: 1 }, { unique: true, sparse: true });
  await list().insertOne({ key: "taken" });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 32 }, (_, i) =>
      list().insertOne({ key: i % 2 === 0 ? "taken" : `own ${i}` }),
    ),
  );
  expect(outcomes.filter((one) => one.status === "rejected")).toHaveLength(16);
  expect(await list().countDocuments({ key: /^own/ })).toBe(16);
});
