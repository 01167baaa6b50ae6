import {
  Binary,
  Decimal128,
  Double,
  Int32,
  Long,
  MongoClient,
  ObjectId,
  Timestamp,
  UUID,
} from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
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

test("a stored document keeps its types and the order of its fields", async () => {
  const raw = db().collection("types", { promoteValues: false, promoteBuffers: false });
  const stored = {
    _id: new ObjectId(),
    z: new Int32(1),
    a: new Double(1),
    l: Long.fromNumber(5),
    d: Decimal128.fromString("1.20"),
    "10": "ten",
    "9": "nine",
    n: null,
    date: new Date(5),
    u: new UUID().toBinary(),
    b: new Binary(Buffer.from([1, 2]), 5),
    o: { y: true, x: [new Int32(1), { k: "v" }] },
  };
  await raw.insertOne(stored);
  const bytes = await db().collection("types", { raw: true }).findOne({});
  await raw.updateOne({}, { $set: { added: true } });
  await raw.updateOne({}, { $unset: { added: "" } });
  expect(await db().collection("types", { raw: true }).findOne({})).toEqual(bytes);
  const found = await raw.findOne({});
  expect(found?.["a"]).toBeInstanceOf(Double);
  expect(found?.["z"]).toBeInstanceOf(Int32);
  expect(found?.["l"]).toBeInstanceOf(Long);
  expect(String(found?.["d"])).toBe("1.20");
});

test.each([true, false])(
  "an insert with a refused document indexes the other documents, ordered: %s",
  async (ordered) => {
    const notes = db().collection<{ _id: number; code: number; words: string[] }>("notes");
    await notes.createIndex({ words: 1, code: 1 });
    await notes.createIndex({ code: 1 }, { unique: true });
    await notes.insertOne({ _id: -1, code: 4_000, words: ["first"] });
    const many = Array.from({ length: 5_000 }, (_, i) => ({
      _id: i,
      code: i,
      words: [`word${i % 7}`, "any", "any"],
    }));
    const error = await failureOf(notes.insertMany(many, { ordered }));
    const inserted = ordered ? 4_000 : 4_999;
    expect(error.code).toBe(11000);
    expect(await notes.countDocuments({ words: "any" }, { hint: { words: 1, code: 1 } })).toBe(
      inserted,
    );
    expect(await db().command({ validate: "notes" })).toMatchObject({
      valid: true,
      nrecords: inserted + 1,
      keysPerIndex: { words_1_code_1: 2 * inserted + 1 },
    });
  },
);

test("the error E11000 contains the index, the key pattern and the values", async () => {
  const users = db().collection("users");
  await users.createIndex({ email: 1, tenant: -1 }, { unique: true, name: "one_email" });
  await users.insertOne({ email: "a@b.c", tenant: 1 });
  const error = await failureOf(users.insertOne({ email: "a@b.c", tenant: 1 }));
  expect(error).toMatchObject({
    code: 11000,
    keyPattern: { email: 1, tenant: -1 },
    keyValue: { email: "a@b.c", tenant: 1 },
  });
  expect(error.message).toBe(
    'E11000 duplicate key error collection: test.users index: one_email dup key: { email: "a@b.c", tenant: 1 }',
  );
  const other = await users.insertOne({ email: "x", tenant: 1 });
  const update = users.updateOne({ _id: other.insertedId }, { $set: { email: "a@b.c" } });
  expect((await failureOf(update)).code).toBe(11000);
  const modify = users.findOneAndUpdate({ email: "x" }, { $set: { email: "a@b.c" } });
  expect(await failureOf(modify)).toMatchObject({ code: 11000, keyValue: { email: "a@b.c" } });
  // The failed insert left no entry in any index.
  await users.insertOne({ email: "x", tenant: 2 });
  expect(await users.countDocuments({ email: "a@b.c" })).toBe(1);
});

test("an unordered insert continues after an error, an ordered one stops", async () => {
  const list = db().collection<{ _id: number }>("list");
  const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
  await failureOf(list.insertMany(documents, { ordered: true }));
  expect(await list.countDocuments()).toBe(1);
  const error = await failureOf(list.insertMany([{ _id: 1 }, { _id: 3 }], { ordered: false }));
  expect(error.code).toBe(11000);
  expect(await list.distinct("_id")).toEqual([1, 3]);
});

test("a bulk write reports the result of each operation", async () => {
  const list = db().collection<{ _id: number; n?: number }>("bulk");
  const result = await list.bulkWrite([
    { insertOne: { document: { _id: 1, n: 1 } } },
    { updateOne: { filter: { _id: 2 }, update: { $set: { n: 2 } }, upsert: true } },
    { updateMany: { filter: {}, update: { $inc: { n: 10 } } } },
    { replaceOne: { filter: { _id: 1 }, replacement: { n: 100 } } },
    { deleteOne: { filter: { _id: 2 } } },
  ]);
  expect(result).toMatchObject({
    insertedCount: 1,
    upsertedCount: 1,
    matchedCount: 3,
    modifiedCount: 3,
    deletedCount: 1,
    upsertedIds: { 1: 2 },
  });
  expect(await list.find().toArray()).toEqual([{ _id: 1, n: 100 }]);
});

test("the server refuses unknown commands, options and operators", async () => {
  const refused = async (command: Record<string, unknown>) => failureOf(db().command(command));
  expect(await refused({ frobnicate: 1 })).toMatchObject({ code: 59, codeName: "CommandNotFound" });
  expect((await refused({ find: "a", bogus: 1 })).code).toBe(40415);
  expect((await refused({ find: "a", filter: 1 })).code).toBe(14);
  expect((await refused({ find: "a", filter: { $bogus: 1 } })).code).toBe(2);
  expect((await refused({ find: "a", filter: { a: { $bogus: 1 } } })).code).toBe(2);
  expect((await refused({ find: "a", collation: { locale: "en" } })).code).toBe(115);
  expect((await refused({ find: "a", limit: -1 })).code).toBe(51024);
  expect((await refused({ aggregate: "a", pipeline: [{ $bogus: 1 }], cursor: {} })).code).toBe(
    40324,
  );
  expect((await refused({ find: "a", readConcern: { level: "odd" } })).code).toBe(2);
  const update = { update: "a", updates: [{ q: {}, u: { $bogus: { a: 1 } } }] };
  const outcome = (await db()
    .command(update)
    .catch((error: unknown) => error)) as {
    code?: number;
    writeErrors?: { code: number }[];
  };
  expect(outcome.writeErrors?.[0]?.code ?? outcome.code).toBe(9);
});

test("a hint of a missing index is refused on a collection with documents", async () => {
  await db().collection("hinted").insertOne({ a: 1 });
  const find = db()
    .collection("hinted")
    .find({ a: 1 }, { hint: { a: 1 } })
    .toArray();
  expect((await failureOf(find)).code).toBe(2);
});

test("createIndexes refuses a conflicting index and accepts an existing one", async () => {
  const list = db().collection("indexed");
  await list.insertMany([{ a: 1 }, { a: 1 }]);
  expect((await failureOf(list.createIndex({ a: 1 }, { unique: true }))).code).toBe(11000);
  expect(await list.indexes()).toHaveLength(1);
  expect(await list.createIndex({ a: 1 })).toBe("a_1");
  expect(await list.createIndex({ a: 1 })).toBe("a_1");
  expect((await failureOf(list.createIndex({ a: 1 }, { name: "other" }))).code).toBe(85);
  expect((await failureOf(list.createIndex({ b: 1 }, { name: "a_1" }))).code).toBe(86);
  expect((await failureOf(list.createIndex({ a: 1 }, { sparse: true, name: "a_1" }))).code).toBe(
    86,
  );
  await list.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  const sooner = list.createIndex({ at: 1 }, { expireAfterSeconds: 6 });
  expect((await failureOf(sooner)).code).toBe(85);
  await list.dropIndex("at_1");
  expect((await failureOf(list.createIndex({ t: "text" }))).code).toBe(67);
  expect((await failureOf(list.dropIndex("_id_"))).code).toBe(72);
  expect((await failureOf(list.dropIndex("none"))).code).toBe(27);
  await list.dropIndex("a_1");
  expect(await list.indexes()).toHaveLength(1);
  for (let i = 0; i < 63; i++) await list.createIndex({ [`f${i}`]: 1 });
  expect((await failureOf(list.createIndex({ f63: 1 }))).code).toBe(67);
});

test("an update that changes _id is refused", async () => {
  const list = db().collection<{ _id: number; a?: number }>("ids");
  await list.insertOne({ _id: 1 });
  expect((await failureOf(list.updateOne({ _id: 1 }, { $set: { _id: 2 } }))).code).toBe(66);
  const replaced = list.replaceOne({ a: { $exists: false } }, { _id: 2 } as never);
  expect((await failureOf(replaced)).code).toBe(66);
});

test("collections and databases can be listed, renamed and dropped", async () => {
  await db().collection("one").insertOne({});
  await db().createCollection("two");
  expect((await failureOf(db().createCollection("two"))).code).toBe(48);
  expect((await db().listCollections().toArray()).map((one) => one.name)).toEqual(["one", "two"]);
  await db().collection("one").rename("three");
  expect(await db().collection("three").countDocuments()).toBe(1);
  const databases = await at.client.db("admin").admin().listDatabases();
  expect(databases.databases.map((one) => one.name)).toContain("test");
  await db().dropDatabase();
  expect(await db().listCollections().toArray()).toEqual([]);
});

test("maxTimeMS ends a long scan", async () => {
  const list = db().collection("slow");
  await list.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ text: `text ${i}` })));
  const find = list
    .find({ text: /no(t|w)here/ })
    .maxTimeMS(1)
    .toArray();
  expect((await failureOf(find)).code).toBe(50);
});

test("a sort above the memory limit is refused, but succeeds with a limit", async () => {
  const list = db().collection("wide");
  const text = "x".repeat(1024 * 1024);
  for (let i = 0; i < 11; i++) {
    await list.insertMany(Array.from({ length: 10 }, (_, n) => ({ i: i * 10 + n, text })));
  }
  const all = list.find({}).sort({ i: -1 }).toArray();
  expect((await failureOf(all)).code).toBe(292);
  const top = await list
    .find({}, { projection: { i: 1 } })
    .sort({ i: -1 })
    .limit(3)
    .toArray();
  expect(top.map((one) => one["i"])).toEqual([109, 108, 107]);
}, 30_000);

test("an insert fills empty top-level timestamps with the server's time", async () => {
  const empty = new Timestamp({ t: 0, i: 0 });
  const list = db().collection<{ _id: Timestamp; at: Timestamp; below: object; n: Long }>("stamps");
  const zero = Long.ZERO;
  await list.insertOne({ _id: empty, at: empty, below: { at: empty }, n: zero });
  const stored = await list.findOne({}, { promoteValues: false });
  expect(stored).toMatchObject({ _id: empty, below: { at: empty }, n: zero });
  expect(Math.abs((stored?.at.t ?? 0) - Date.now() / 1000)).toBeLessThan(60);
});

test("an index refuses a timestamp as a direction", async () => {
  const key = { a: new Timestamp({ t: 1, i: 1 }) };
  const created = db().command({ createIndexes: "x", indexes: [{ key, name: "a" }] });
  expect((await failureOf(created)).code).toBe(67);
});

test("an unacknowledged insert of many documents is applied", async () => {
  const list = at.client.db("test").collection("quiet", { writeConcern: { w: 0 } });
  await list.insertOne({ a: 1 });
  await expect.poll(() => db().collection("quiet").countDocuments()).toBe(1);
});

test("$out replaces a collection, and $merge changes some of its documents", async () => {
  const source = db().collection<{ _id: number; n: number }>("source");
  const target = db().collection<{ _id: number; n: number; kept?: boolean }>("target");
  await source.insertMany([1, 2, 3].map((n) => ({ _id: n, n })));
  await target.insertOne({ _id: 9, n: 9 });
  await source.aggregate([{ $match: { n: { $gt: 1 } } }, { $out: "target" }]).toArray();
  expect(await target.find().toArray()).toEqual([
    { _id: 2, n: 2 },
    { _id: 3, n: 3 },
  ]);
  await target.updateOne({ _id: 2 }, { $set: { kept: true } });
  const merge = { into: "target", whenMatched: "merge", whenNotMatched: "insert" } as const;
  await source.aggregate([{ $set: { n: 50 } }, { $merge: merge }]).toArray();
  expect(await target.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 1, n: 50 },
    { _id: 2, n: 50, kept: true },
    { _id: 3, n: 50 },
  ]);
  const failing = source.aggregate([{ $merge: { into: "target", whenMatched: "fail" } }]).toArray();
  expect((await failureOf(failing)).code).toBe(11000);
});

test("an _id that contains operators is refused", async () => {
  const insert = db()
    .collection<{ _id: object }>("ids")
    .insertOne({ _id: { $a: 1 } });
  expect((await failureOf(insert)).code).toBe(52);
});

test("a write concern of two members is reported as not met, but the write is applied", async () => {
  const list = at.client.db("test").collection("far", { writeConcern: { w: 2 } });
  await expect(list.insertOne({ a: 1 })).rejects.toMatchObject({ code: 100 });
  expect(await list.countDocuments()).toBe(1);
});

test("a causally consistent session sends the cluster time and reads its own writes", async () => {
  const sent: { readConcern?: { afterClusterTime?: unknown }; $clusterTime?: unknown }[] = [];
  const watched = await MongoClient.connect(at.server.uri, { monitorCommands: true });
  watched.on("commandStarted", ({ command }) => {
    if (command["find"] !== undefined) sent.push(command);
  });
  const session = watched.startSession({ causalConsistency: true });
  const list = watched.db("test").collection<{ _id: number }>("causal");
  await list.insertOne({ _id: 1 }, { session });
  expect(await list.findOne({}, { session })).toEqual({ _id: 1 });
  expect(sent[0]?.$clusterTime).toBeDefined();
  expect(sent[0]?.readConcern?.afterClusterTime).toBeDefined();
  await session.endSession();
  await watched.close();
});
