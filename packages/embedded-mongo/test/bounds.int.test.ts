import { MongoServerError } from "mongodb";
import type { MongoClient } from "mongodb";
import { afterEach, expect, test } from "vitest";
import { RawClient } from "./support/raw-client.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
afterEach(() => at.stop());

const list = (client: MongoClient) =>
  client.db("test").collection<{ _id: number; n?: number }>("list");

async function failureOf(promise: Promise<unknown>): Promise<MongoServerError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MongoServerError);
  return error as MongoServerError;
}

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
  at = await testServer({ bounds: { transactionLifetimeMs: 100 } });
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
