import type { Document, IndexSpecification } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Doc, explainedIn } from "./support/explained.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer();
});
afterAll(() => at.stop());

test("a query for several common words reads only the documents with all words", async () => {
  const searched = at.client.db("test").collection<Doc>("common words");
  await searched.insertMany(
    Array.from({ length: 300 }, (_, i) => ({
      _id: i,
      at: i % 7,
      words: ["all", i % 2 === 0 ? "even" : "odd", ...(i % 30 === 0 ? ["odd"] : [])],
    })),
  );
  const both = { words: { $all: ["odd", "even"] } };
  const byKey: [IndexSpecification, Document, number[]][] = [
    [{ words: 1, at: -1 }, both, [0, 30, 60, 90, 120, 150, 180, 210, 240, 270]],
    [{ words: -1 }, both, [0, 30, 60, 90, 120, 150, 180, 210, 240, 270]],
    [{ at: 1, words: -1 }, { ...both, at: 4 }, [60, 270]],
    [{ words: 1, at: 1 }, { ...both, at: { $gt: 4 } }, [90, 180]],
  ];
  for (const [key, filter, ids] of byKey) {
    const name = await searched.createIndex(key);
    const found = await searched.find(filter).sort({ _id: 1 }).toArray();
    expect(found.map(({ _id }) => _id)).toEqual(ids);
    expect(await searched.countDocuments(filter)).toBe(ids.length);
    const read = await explainedIn(searched, filter);
    expect(read).toMatchObject({ docs: ids.length, returned: ids.length });
    await searched.dropIndex(name);
  }
});

const linesOf = (...skus: number[]) => skus.map((sku) => ({ sku, qty: sku * 10 }));

test("a query for several elements works when the keys of a document differ in other fields too", async () => {
  const orders = at.client.db("test").collection<Doc>("orders of several");
  await orders.insertMany([
    { _id: 1, lines: linesOf(1, 2) },
    { _id: 2, lines: linesOf(3) },
    { _id: 3, lines: linesOf(4, 5) },
  ]);
  const ids = async (...skus: number[]) =>
    (await orders.find({ "lines.sku": { $all: skus } }).toArray()).map(({ _id }) => _id);
  for (const [key, unique] of [
    [{ "lines.sku": 1, "lines.qty": 1 }, false],
    [{ "lines.sku": 1 }, true],
  ] as const) {
    const name = await orders.createIndex(key, { unique });
    expect(await Promise.all([ids(1, 2), ids(2, 1), ids(1, 3), ids(4, 5)])).toEqual([
      [1],
      [1],
      [],
      [3],
    ]);
    await orders.dropIndex(name);
  }
});
