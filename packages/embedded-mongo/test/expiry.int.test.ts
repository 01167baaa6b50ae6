import { afterAll, expect, test } from "vitest";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

const servers: TestServer[] = [];
afterAll(async () => void (await Promise.all(servers.map((server) => server.stop()))));

async function sweptEvery(ttlSweepMs: number) {
  const at = await testServer({ ttlSweepMs });
  servers.push(at);
  return at;
}

const countIn = ({ client }: TestServer) =>
  client.db("test").collection("expiring").countDocuments();
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

test("the TTL sweep deletes expired documents and keeps all others", async () => {
  const at = await sweptEvery(50);
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

test("a sweep interval of 0 keeps expired documents", async () => {
  const [left, swept] = [await sweptEvery(0), await sweptEvery(50)];
  for (const { client } of [left, swept]) {
    const list = client.db("test").collection("expiring");
    await list.insertOne({ at: ago(100) });
    await list.createIndex({ at: 1 }, { expireAfterSeconds: 0 });
  }
  await expect.poll(() => countIn(swept)).toBe(0);
  expect(await countIn(left)).toBe(1);
});
