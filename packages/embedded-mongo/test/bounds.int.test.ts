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

test("a cursor is closed after its idle timeout", async () => {
  at = await testServer({ bounds: { cursorIdleMs: 50 } });
  await list(at.client).insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  const cursor = list(at.client).find({}, { batchSize: 2 });
  await cursor.next();
  const status = () => at.client.db("admin").command({ serverStatus: 1 });
  await expect.poll(async () => (await status())["metrics"].cursor.open.total).toBe(0);
  await cursor.next();
  expect((await failureOf(cursor.next())).code).toBe(43);
});

test("an abandoned transaction is aborted after its lifetime, and waiting writers continue", async () => {
  at = await testServer({ bounds: { transactionLifetimeMs: 700 } });
  await list(at.client).insertOne({ _id: 1, n: 0 });
  const session = at.client.startSession();
  session.startTransaction();
  await list(at.client).updateOne({ _id: 1 }, { $set: { n: 5 } }, { session });
  const shortWait = list(at.client).updateOne({ _id: 1 }, { $inc: { n: 1 } }, { maxTimeMS: 20 });
  expect((await failureOf(shortWait)).code).toBe(50);
  await list(at.client).updateOne({ _id: 1 }, { $inc: { n: 1 } });
  expect(await list(at.client).findOne({})).toEqual({ _id: 1, n: 1 });
  const late = await failureOf(session.commitTransaction());
  expect(late.code).toBe(251);
  await session.endSession();
});

test("the server closes connections above the limit and keeps the others", async () => {
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

test("maxTimeMS ends a long computation on one document", async () => {
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

test("the server stops reading from a client that does not read its replies, and serves the others", async () => {
  at = await testServer();
  const text = "x".repeat(1024 * 1024);
  await list(at.client).insertMany(Array.from({ length: 12 }, (_, _id) => ({ _id, text })));
  const slowClient = await RawClient.open(Number(new URL(at.server.uri).port));
  slowClient.socket.pause();
  for (let i = 0; i < 100; i++) slowClient.send(opMsg({ find: "list", limit: 4, $db: "test" }));
  const findCount = async () => {
    const status = await at.client.db("admin").command({ serverStatus: 1 });
    return Number(status["opcounters"].find ?? 0);
  };
  await expect.poll(findCount, { timeout: 10_000 }).toBeGreaterThan(0);
  for (let i = 0; i < 50; i++) expect(await list(at.client).countDocuments()).toBe(12);
  expect(await findCount()).toBeLessThan(20);
  slowClient.socket.resume();
  for (let i = 0; i < 3; i++) expect((await slowClient.reply())["ok"]).toBe(1);
  slowClient.close();
});
