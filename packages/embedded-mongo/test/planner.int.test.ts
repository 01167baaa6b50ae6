import type { Document } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Doc, explainedIn } from "./support/explained.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer();
  const docs = collection();
  await docs.insertMany(
    Array.from({ length: 2_000 }, (_, i) => ({
      _id: i,
      tenant: i % 20,
      status: ["open", "paid", "void"][i % 3],
      due: new Date(1_000 * i),
      name: `customer ${i}`,
      tags: [`t${i % 10}`, `u${i % 7}`],
      lines: [{ sku: i % 50, qty: i % 4 }],
      ...(i % 100 === 0 ? { failed: i } : {}),
    })),
  );
  await docs.createIndexes([
    { key: { tenant: 1, due: -1 } },
    { key: { tenant: 1, status: 1, due: 1 } },
    { key: { name: 1 }, unique: true },
    { key: { tags: 1 } },
    { key: { "lines.sku": 1, "lines.qty": 1 } },
    { key: { failed: 1 }, sparse: true },
    { key: { due: 1 }, name: "open_due", partialFilterExpression: { status: "open" } },
  ]);
});
afterAll(() => at.stop());

const collection = () => at.client.db("test").collection<Doc>("planned");

const explained = (filter: Document, sort?: Document, limit = 0, from = collection()) =>
  explainedIn(from, filter, sort, limit);

test("a query by _id reads one key and one document", async () => {
  expect(await explained({ _id: 7 })).toMatchObject({ index: "_id_", keys: 1, docs: 1 });
  expect(await explained({ name: "customer 7" })).toMatchObject({ index: "name_1", docs: 1 });
  expect(await explained({ name: "nobody" })).toMatchObject({ docs: 0, returned: 0 });
});

test("one index serves an equality and the sort, and is read no further than the page", async () => {
  const page = await explained({ tenant: 3 }, { due: -1 }, 20);
  expect(page).toMatchObject({ index: "tenant_1_due_-1", docs: 20, returned: 20, sorts: false });
  const backwards = await explained({ tenant: 3 }, { due: 1 }, 20);
  expect(backwards).toMatchObject({ index: "tenant_1_due_-1", docs: 20, sorts: false });
});

test("a range query reads only the documents in the range", async () => {
  const range = await explained({
    tenant: 3,
    due: { $gte: new Date(100_000), $lt: new Date(300_000) },
  });
  expect(range).toMatchObject({ index: "tenant_1_due_-1", keys: 10, docs: 10, returned: 10 });
});

test("$in reads the keys of each value and merges them in sort order", async () => {
  const some = await explained({ tenant: { $in: [1, 2] }, status: "open" });
  expect(some.index).toBe("tenant_1_status_1_due_1");
  expect(some.docs).toBe(some.returned);
  const merged = await explained({ tenant: { $in: [1, 2, 5] } }, { due: -1 }, 10);
  expect(merged).toMatchObject({ index: "tenant_1_due_-1", returned: 10, sorts: false });
  expect(merged.docs).toBe(10);
  const found = await collection()
    .find({ tenant: { $in: [1, 2, 5] } })
    .sort({ due: -1 })
    .limit(5)
    .toArray();
  expect(found.map((one) => one._id)).toEqual([1985, 1982, 1981, 1965, 1962]);
});

test("an index on an array has one key per element and returns each document once", async () => {
  const tagged = await explained({ tags: { $in: ["t1", "u1"] } });
  expect(tagged.index).toBe("tags_1");
  const ids = (
    await collection()
      .find({ tags: { $in: ["t1", "u1"] } })
      .toArray()
  ).map((d) => d._id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBe(
    Array.from({ length: 2_000 }).filter((_, i) => i % 10 === 1 || i % 7 === 1).length,
  );
  const lines = await explained({ lines: { $elemMatch: { sku: 3, qty: 3 } } });
  expect(lines.index).toBe("lines.sku_1_lines.qty_1");
  expect(lines.docs).toBe(lines.returned);
});

test("an anchored regular expression reads the range of its prefix", async () => {
  const found = await explained({ name: /^customer 199/ });
  expect(found).toMatchObject({ index: "name_1", returned: 11 });
  expect(found.docs).toBeLessThanOrEqual(12);
});

test("sparse and partial indexes are used only for queries that they cover", async () => {
  expect((await explained({ failed: { $exists: true } })).index).toBe("failed_1");
  expect((await explained({ failed: null })).index).toBeUndefined();
  expect(await explained({ failed: { $gte: 500 } })).toMatchObject({ index: "failed_1" });
  const due = { $lte: new Date(50_000) };
  expect((await explained({ status: "open", due })).index).toBe("open_due");
  expect((await explained({ status: "paid", due })).index).toBeUndefined();
  expect((await explained({ due })).index).toBeUndefined();
});

test("a sparse index on a dotted path omits entries per array element", async () => {
  const list = at.client.db("test").collection<Doc>("sparse");
  await list.createIndex({ "a.b": 1 }, { sparse: true, unique: true });
  await list.insertMany([
    { _id: 1, a: [{ b: 1 }, {}] },
    { _id: 2, a: [{ b: 2 }, {}] },
  ]);
  await expect(list.insertOne({ _id: 3, a: [{ b: 2 }] })).rejects.toMatchObject({ code: 11000 });
  const both = { "a.b": { $exists: true }, a: { $elemMatch: { b: null } } };
  expect(await list.countDocuments(both)).toBe(2);
  expect(await list.countDocuments({ "a.b": 1, a: { $elemMatch: { b: null } } })).toBe(1);
  await list.insertOne({ _id: 0, a: [{ b: 9 }, {}] });
  const sorted = await list
    .find({ "a.b": { $exists: true } })
    .sort({ "a.b": 1, _id: 1 })
    .toArray();
  expect(sorted.map(({ _id }) => _id)).toEqual([0, 1, 2]);
});

test("a filter does not treat an empty array on a path as null, although its key is null", async () => {
  const list = at.client.db("test").collection<Doc>("empty");
  await list.createIndex({ "a.b": 1 });
  await list.createIndex({ "a.b": 1 }, { sparse: true, name: "sparse" });
  await list.insertMany([{ _id: 1, a: [] }, { _id: 2 }]);
  expect(await list.countDocuments({ "a.b": { $ne: null } })).toBe(1);
});

test("$or uses one index per alternative", async () => {
  const either = await explained({ $or: [{ name: "customer 5" }, { _id: 9 }] });
  expect(either).toMatchObject({ docs: 2, returned: 2 });
});

test("a count with an exact index reads no documents", async () => {
  const answer = await at.client
    .db("test")
    .command({ explain: { count: "planned", query: { tenant: 3 } }, verbosity: "queryPlanner" });
  expect(JSON.stringify(answer)).toContain("tenant_1");
  expect(await collection().countDocuments({ tenant: 3 })).toBe(100);
});

test("a query uses the index of its hint", async () => {
  const answer = await collection().find({ tenant: 3 }).hint("_id_").explain("executionStats");
  expect(JSON.stringify(answer)).toContain('"indexName":"_id_"');
  expect(answer["executionStats"]).toMatchObject({ totalDocsExamined: 2_000, nReturned: 100 });
});

test("the leading $match of an aggregation uses an index", async () => {
  const answer = await collection()
    .aggregate([
      { $match: { tenant: 3 } },
      { $sort: { due: -1 } },
      { $limit: 5 },
      { $project: { name: 1 } },
    ])
    .explain("executionStats");
  const text = JSON.stringify(answer);
  expect(text).toContain("tenant_1_due_-1");
  expect(text).toContain('"totalDocsExamined":5');
});

test("an $in with 50,000 values reads only their keys", async () => {
  const ids = Array.from({ length: 50_000 }, (_, i) => i * 100);
  const found = await explained({ _id: { $in: ids } });
  expect(found).toMatchObject({ index: "_id_", keys: 20, docs: 20 });
  const twice = { $and: [{ _id: { $in: ids } }, { _id: { $in: ids.map((id) => id + 100) } }] };
  expect(await explained(twice)).toMatchObject({ index: "_id_", returned: 19 });
});

test("a prefix bounds its own field but not the fields after it", async () => {
  const names = at.client.db("test").collection<Doc>("prefixes");
  await names.insertMany([
    { _id: 1, name: "acme", at: 3, nick: ["ac", "me"] },
    { _id: 2, name: "acorn", at: 1, nick: ["acorn"] },
    { _id: 3, name: "bolt", at: 2, nick: ["acid"] },
    { _id: 4, name: "acme", at: 2, nick: ["bolt"] },
  ]);
  await names.createIndexes([{ key: { name: 1, at: -1 } }, { key: { nick: 1, at: -1 } }]);
  const idsOf = async (filter: Document) => {
    const found = await names.find(filter).sort({ at: -1, _id: 1 }).toArray();
    return found.map(({ _id }) => _id);
  };
  for (const name of [/^ac/, { $regex: "^ac" }]) {
    expect(await idsOf({ name })).toEqual([1, 4, 2]);
    expect(await idsOf({ name, at: 2 })).toEqual([4]);
    expect(await idsOf({ name, at: { $gte: 2 } })).toEqual([1, 4]);
    expect(await idsOf({ nick: name })).toEqual([1, 3, 2]);
    expect(await idsOf({ nick: name, at: { $lt: 3 } })).toEqual([3, 2]);
  }
  for (const [first, second] of [
    ["$options", "$regex"],
    ["$regex", "$options"],
  ] as const) {
    const given = { $options: "i", $regex: "^AC" };
    expect(await idsOf({ name: { [first]: given[first], [second]: given[second] } })).toEqual([
      1, 4, 2,
    ]);
  }
});

test("a descending index finds the prefix itself and all strings that begin with it", async () => {
  const names = at.client.db("test").collection<Doc>("descending prefixes");
  await names.insertMany([
    { _id: 1, name: "xy" },
    { _id: 2, name: ["xyz"] },
    { _id: 3, name: "xz" },
  ]);
  for (const key of [{ name: -1 }, { name: -1, at: 1 }] as const) {
    await names.createIndex(key);
    const found = await names.find({ name: /^xy/ }).hint(key).sort({ _id: 1 }).toArray();
    expect(found.map(({ _id }) => _id)).toEqual([1, 2]);
  }
});

test("a query for several words reads the keys of the rarest word and sorts the few matches", async () => {
  const searched = at.client.db("test").collection<Doc>("searched");
  await searched.insertMany(
    Array.from({ length: 3_000 }, (_, i) => ({
      _id: i,
      at: (i * 7) % 3_000,
      words: ["common", `inv-${i}`, i % 1_000 === 0 ? "rare" : "usual"],
    })),
  );
  await searched.createIndexes([{ key: { at: -1 } }, { key: { words: 1, at: -1 } }]);
  const newest = { at: -1 } as const;
  for (const words of [{ $all: ["common", "rare"] }, { $all: ["rare", "common"] }]) {
    const read = await explained({ words }, newest, 10, searched);
    expect(read).toMatchObject({ keys: 3, docs: 3, returned: 3, sorts: false });
  }
  const prefix = await explained({ words: /^inv-77/ }, newest, 10, searched);
  expect(prefix).toMatchObject({ keys: 11, returned: 10, sorts: true });
  const none = await explained({ words: /^nobody/ }, newest, 10, searched);
  expect(none).toMatchObject({ keys: 0, docs: 0, returned: 0 });
  const many = await explained({ words: /^com/ }, newest, 10, searched);
  expect(many).toMatchObject({ keys: 10, returned: 10, sorts: false });
  const page = await explained({ words: "common" }, newest, 10, searched);
  expect(page).toMatchObject({ keys: 10, docs: 10, returned: 10, sorts: false });
  const all = { words: { $all: ["common"] } };
  expect(await explained(all, newest, 10, searched)).toMatchObject({ docs: 10, returned: 10 });
  expect(await searched.countDocuments(all)).toBe(3_000);
  expect(await searched.countDocuments({ words: { $all: ["common", "usual"] } })).toBe(2_997);
  expect(await searched.countDocuments({ words: { $all: [] } })).toBe(0);
  expect(await searched.countDocuments({ words: "common" })).toBe(3_000);
  expect(await searched.countDocuments({ words: "common" }, { limit: 1_500 })).toBe(1_500);
  expect(await searched.countDocuments({ words: "common" }, { skip: 2_990 })).toBe(10);
  expect(await searched.countDocuments({ words: { $in: ["common", "rare"] } })).toBe(3_000);
  expect(await searched.countDocuments({ words: /^inv-77/ })).toBe(11);
});
