import { afterAll, beforeAll, expect, test } from "vitest";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer({ ttlSweepMs: 50 });
});
afterAll(() => at.stop());

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

test("documents past their time go, all others stay", async () => {
  const list = at.client.db("test").collection<{ _id: string; at?: unknown }>("expiring");
  await list.insertMany([
    { _id: "old", at: ago(100) },
    { _id: "new", at: ago(10) },
    { _id: "one of many", at: [ago(10), ago(100)] },
    { _id: "no date", at: "2001" },
    { _id: "missing" },
  ]);
  await list.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
  await expect.poll(() => list.distinct("_id")).toEqual(["missing", "new", "no date"]);
  await at.client
    .db("test")
    .command({ collMod: "expiring", index: { name: "at_1", expireAfterSeconds: 5 } });
  await expect.poll(() => list.distinct("_id")).toEqual(["missing", "no date"]);
  expect(
    await list
      .find({ at: { $type: "date" } })
      .hint("at_1")
      .toArray(),
  ).toEqual([]);
});
