import { Long } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { failureOf } from "./support/failure.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer();
});
afterAll(() => at.stop());
beforeEach(async () => {
  await at.client.db("test").dropDatabase();
});

const db = () => at.client.db("test");

test("a cursor returns all batches, ends, and is refused in another session", async () => {
  const many = db().collection<{ _id: number }>("many");
  await many.insertMany(Array.from({ length: 1_000 }, (_, i) => ({ _id: i })));
  const ids = (await many.find({}, { batchSize: 7 }).sort({ _id: -1 }).toArray()).map((d) => d._id);
  expect(ids).toEqual(Array.from({ length: 1_000 }, (_, i) => 999 - i));
  const opened = await db().command({ find: "many", filter: {}, batchSize: 2 });
  expect(opened["cursor"].firstBatch).toHaveLength(2);
  const id = Long.fromValue(opened["cursor"].id);
  const elsewhere = db().command({ getMore: id, collection: "other" });
  expect((await failureOf(elsewhere)).code).toBe(13);
  const killed = await db().command({ killCursors: "many", cursors: [id] });
  expect(killed["cursorsKilled"]).toHaveLength(1);
  const gone = db().command({ getMore: id, collection: "many" });
  expect((await failureOf(gone)).code).toBe(43);
});

test("a cursor continues while documents are inserted and deleted", async () => {
  const moving = db().collection<{ _id: number; a: number }>("moving");
  await moving.createIndex({ a: 1 });
  await moving.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: i, a: i })));
  const cursor = moving.find({ a: { $gte: 0 } }, { batchSize: 10 }).sort({ a: 1 });
  const seen: number[] = [];
  for await (const document of cursor) {
    seen.push(document.a);
    if (document.a === 50) await moving.deleteMany({ a: { $gt: 100, $lt: 200 } });
  }
  expect(seen).toEqual([...Array(101).keys(), ...Array.from({ length: 100 }, (_, i) => 200 + i)]);
});

test("a cursor is closed when its index is dropped, and the server keeps running", async () => {
  const list = db().collection<{ a: number }>("dropped");
  await list.createIndex({ a: 1 });
  await list.insertMany(Array.from({ length: 100 }, (_, a) => ({ a })));
  const cursor = list.find({ a: { $gte: 0 } }, { batchSize: 2 });
  await cursor.next();
  await list.dropIndex("a_1");
  expect((await failureOf(cursor.toArray())).code).toBe(43);
});

test("maxTimeMS does not count the time that a cursor waits for its client", async () => {
  const list = db().collection("patient");
  await list.insertMany(Array.from({ length: 500 }, (_, a) => ({ a })));
  const maxTimeMS = 1_500;
  const openedMs = performance.now();
  const cursor = list.find({}, { batchSize: 2, maxTimeMS });
  await cursor.next();
  await vi.waitUntil(() => performance.now() - openedMs > maxTimeMS, { timeout: 5_000 });
  expect(await cursor.toArray()).toHaveLength(499);
});
