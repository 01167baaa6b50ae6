import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { failureOf } from "./support/failure.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer();
});
afterAll(() => at.stop());

type Account = { _id: string; balance: number };
const accounts = () => at.client.db("bank").collection<Account>("accounts");

beforeEach(async () => {
  await accounts().drop();
  await accounts().insertMany([
    { _id: "a", balance: 100 },
    { _id: "b", balance: 0 },
  ]);
});

test("the changes of a transaction become visible together at commit", async () => {
  const session = at.client.startSession();
  session.startTransaction();
  await accounts().updateOne({ _id: "a" }, { $inc: { balance: -30 } }, { session });
  await accounts().updateOne({ _id: "b" }, { $inc: { balance: 30 } }, { session });
  await accounts().insertOne({ _id: "c", balance: 1 }, { session });
  expect(await accounts().findOne({ _id: "a" })).toEqual({ _id: "a", balance: 100 });
  expect(await accounts().countDocuments()).toBe(2);
  expect(await accounts().findOne({ _id: "a" }, { session })).toEqual({ _id: "a", balance: 70 });
  await session.commitTransaction();
  expect(await accounts().find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: "a", balance: 70 },
    { _id: "b", balance: 30 },
    { _id: "c", balance: 1 },
  ]);
  await session.commitTransaction();
  await session.endSession();
});

test("an aborted transaction leaves no documents and no index entries", async () => {
  await accounts().createIndex({ balance: 1 }, { unique: true });
  const session = at.client.startSession();
  session.startTransaction();
  await accounts().insertOne({ _id: "d", balance: 7 }, { session });
  await accounts().deleteOne({ _id: "b" }, { session });
  await session.abortTransaction();
  await accounts().insertOne({ _id: "e", balance: 7 });
  expect(await accounts().countDocuments({ balance: { $gte: 0 } })).toBe(3);
  await session.endSession();
});

test("a transaction does not see later commits of others", async () => {
  const session = at.client.startSession();
  session.startTransaction();
  expect(await accounts().countDocuments({}, { session })).toBe(2);
  await accounts().insertOne({ _id: "x", balance: 5 });
  await accounts().deleteOne({ _id: "b" });
  await accounts().updateOne({ _id: "a" }, { $set: { balance: 1 } });
  expect(await accounts().find({}, { session }).sort({ _id: 1 }).toArray()).toEqual([
    { _id: "a", balance: 100 },
    { _id: "b", balance: 0 },
  ]);
  expect(await accounts().countDocuments()).toBe(2);
  const conflict = await failureOf(
    accounts().updateOne({ _id: "a" }, { $set: { balance: 2 } }, { session }),
  );
  expect(conflict.code).toBe(112);
  expect(conflict.hasErrorLabel("TransientTransactionError")).toBe(true);
  await session.endSession();
});

test("the second of two transactions that write the same document gets a transient error", async () => {
  const [first, second] = [at.client.startSession(), at.client.startSession()];
  first.startTransaction();
  second.startTransaction();
  await accounts().updateOne({ _id: "a" }, { $inc: { balance: 1 } }, { session: first });
  const conflict = await failureOf(
    accounts().updateOne({ _id: "a" }, { $inc: { balance: 1 } }, { session: second }),
  );
  expect(conflict.code).toBe(112);
  expect(conflict.hasErrorLabel("TransientTransactionError")).toBe(true);
  const gone = await failureOf(accounts().findOne({ _id: "a" }, { session: second }));
  expect(gone.code).toBe(251);
  await first.commitTransaction();
  expect((await accounts().findOne({ _id: "a" }))?.balance).toBe(101);
  await Promise.all([first.endSession(), second.endSession()]);
});

test("concurrent transfers keep the total balance", async () => {
  const transfer = async () => {
    const session = at.client.startSession();
    await session.withTransaction(async () => {
      await accounts().updateOne({ _id: "a" }, { $inc: { balance: -1 } }, { session });
      await accounts().updateOne({ _id: "b" }, { $inc: { balance: 1 } }, { session });
    });
    await session.endSession();
  };
  await Promise.all(Array.from({ length: 10 }, transfer));
  expect(await accounts().find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: "a", balance: 90 },
    { _id: "b", balance: 10 },
  ]);
});

test("a write outside waits for the transaction that has locked its document", async () => {
  const session = at.client.startSession();
  session.startTransaction();
  await accounts().updateOne({ _id: "a" }, { $set: { balance: 1 } }, { session });
  const outside = accounts().updateMany({}, { $inc: { balance: 1000 } });
  expect(await accounts().findOne({ _id: "b" })).toEqual({ _id: "b", balance: 0 });
  await session.commitTransaction();
  expect((await outside).modifiedCount).toBe(2);
  expect(await accounts().find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: "a", balance: 1001 },
    { _id: "b", balance: 1000 },
  ]);
  await session.endSession();
});

test("a unique key locked by a transaction is refused to other transactions, and other writes wait for it", async () => {
  const [first, second] = [at.client.startSession(), at.client.startSession()];
  first.startTransaction();
  second.startTransaction();
  await accounts().insertOne({ _id: "k", balance: 1 }, { session: first });
  const taken = await failureOf(
    accounts().insertOne({ _id: "k", balance: 2 }, { session: second }),
  );
  expect(taken.code).toBe(112);
  expect(taken.hasErrorLabel("TransientTransactionError")).toBe(true);
  const outside = failureOf(accounts().insertOne({ _id: "k", balance: 3 }));
  await first.commitTransaction();
  expect((await outside).code).toBe(11000);
  first.startTransaction();
  await accounts().insertOne({ _id: "l", balance: 1 }, { session: first });
  const waiting = accounts().insertOne({ _id: "l", balance: 2 });
  await first.abortTransaction();
  await waiting;
  await Promise.all([first.endSession(), second.endSession()]);
});

test("a unique key that another write took after the start is reported at commit", async () => {
  const session = at.client.startSession();
  session.startTransaction();
  expect(await accounts().findOne({ _id: "m" }, { session })).toBeNull();
  await accounts().insertOne({ _id: "m", balance: 1 });
  await accounts().insertOne({ _id: "m", balance: 2 }, { session });
  expect((await failureOf(session.commitTransaction())).code).toBe(112);
  await session.endSession();
});

test("a collection created in a transaction exists after the commit", async () => {
  const created = at.client.db("bank").collection("created");
  const session = at.client.startSession();
  session.startTransaction();
  await created.insertOne({ a: 1 }, { session });
  expect(await at.client.db("bank").listCollections({ name: "created" }).toArray()).toEqual([]);
  expect(await created.countDocuments({}, { session })).toBe(1);
  await session.abortTransaction();
  expect(await at.client.db("bank").listCollections({ name: "created" }).toArray()).toEqual([]);
  session.startTransaction();
  await created.insertOne({ a: 1 }, { session });
  await session.commitTransaction();
  expect(await created.countDocuments()).toBe(1);
  await created.drop();
  await session.endSession();
});

test("a command that is not allowed in a transaction is refused", async () => {
  const session = at.client.startSession();
  session.startTransaction();
  await accounts().findOne({}, { session });
  const refused = await failureOf(at.client.db("bank").command({ count: "accounts" }, { session }));
  expect(refused.code).toBe(263);
  await session.endSession();
});
