import type { MongoClient } from "mongodb";
import { afterEach, expect, test } from "vitest";
import { opMsg, RawClient } from "./support/raw-client.ts";
import { failureOf } from "./support/failure.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
afterEach(() => at.stop());

const list = (client: MongoClient) =>
  client.db("test").collection<{ _id: number; n?: number }>("list");

test("a cursor that nobody reads is dropped", async () => {
  at = await testServer({ bounds: { cursorIdleMs: 50 } });
  await list(at.client).insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  const cursor = list(at.client).find({}, { batchSize: 2 });
  await cursor.next();
  const status = () => at.client.db("admin").command({ serverStatus: 1 });
  await expect.poll(async () => (await status())["metrics"].cursor.open.total).toBe(0);
  await cursor.next();
  expect((await failureOf(cursor.next())).code).toBe(43);
});

test("a transaction that is left open ends, and those who wait for it go on", async () => {
  at = await testServer({ bounds: { transactionLifetimeMs: 700 } });
  await list(at.client).insertOne({ _id: 1, n: 0 });
  const session = at.client.startSession();
  session.startTransaction();
  await list(at.client).updateOne({ _id: 1 }, { $set: { n: 5 } }, { session });
  const hurried = list(at.client).updateOne({ _id: 1 }, { $inc: { n: 1 } }, { maxTimeMS: 20 });
  expect((await failureOf(hurried)).code).toBe(50);
  await list(at.client).updateOne({ _id: 1 }, { $inc: { n: 1 } });
  expect(await list(at.client).findOne({})).toEqual({ _id: 1, n: 1 });
  const late = await failureOf(session.commitTransaction());
  expect(late.code).toBe(251);
  await session.endSession();
});

test("connections over the bound are closed, the others stay", async () => {
  at = await testServer({ bounds: { connectionsMax: 12 } });
  const opened = await Promise.all(
    Array.from({ length: 12 }, () => RawClient.open(at.server.port)),
  );
  const answered = await Promise.all(
    opened.map((one) =>
      one.command({ ping: 1 }).then(
        () => true,
        () => false,
      ),
    ),
  );
  expect(answered).toContain(true);
  expect(answered).toContain(false);
  for (const one of opened) one.close();
  expect(await at.client.db("test").command({ ping: 1 })).toMatchObject({ ok: 1 });
});

test("maxTimeMS ends what computes for long on one document", async () => {
  at = await testServer();
  await list(at.client).insertOne({ _id: 1 });
  const numbers = { $range: [0, 1_000_000] };
  const halves = { $map: { input: numbers, in: { $divide: ["$$this", 2] } } };
  const sums = {
    $reduce: { input: numbers, initialValue: 0, in: { $add: ["$$value", "$$this"] } },
  };
  const pipelines = [
    [{ $set: { halves } }, { $unwind: "$halves" }, { $unset: "halves" }, { $count: "n" }],
    [{ $project: { sums } }],
    [{ $match: { $expr: { $gt: [sums, 1] } } }],
  ];
  for (const pipeline of pipelines) {
    const work = list(at.client).aggregate(pipeline, { maxTimeMS: 20 }).toArray();
    expect((await failureOf(work)).code).toBe(50);
  }
});

test("who does not read its answers is not asked for more, and keeps nobody else waiting", async () => {
  at = await testServer();
  const text = "x".repeat(1024 * 1024);
  await list(at.client).insertMany(Array.from({ length: 12 }, (_, _id) => ({ _id, text })));
  const deaf = await RawClient.open(Number(new URL(at.server.uri).port));
  deaf.socket.pause();
  for (let i = 0; i < 100; i++) deaf.send(opMsg({ find: "list", limit: 4, $db: "test" }));
  const asked = async () => {
    const status = await at.client.db("admin").command({ serverStatus: 1 });
    return Number(status["opcounters"].find ?? 0);
  };
  await expect.poll(asked, { timeout: 10_000 }).toBeGreaterThan(0);
  for (let i = 0; i < 50; i++) expect(await list(at.client).countDocuments()).toBe(12);
  expect(await asked()).toBeLessThan(20);
  deaf.socket.resume();
  for (let i = 0; i < 3; i++) expect((await deaf.reply())["ok"]).toBe(1);
  deaf.close();
});
