import { afterAll, beforeAll, expect, test } from "vitest";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer({}, { minPoolSize: 32, maxPoolSize: 32 });
  await list().insertOne({ first: true });
});
afterAll(() => at.stop());

const list = () => at.client.db("test").collection("list");

async function commits(): Promise<number> {
  const status = await at.client.db("admin").command({ serverStatus: 1 });
  return status["metrics"].commits as number;
}

async function commitsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = await commits();
  await work();
  return (await commits()) - before;
}

test("writes that arrive together share commits", async () => {
  const made = await commitsDuring(async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 32 }, () => list().insertOne({ round })));
    }
  });
  expect(await list().countDocuments({ round: { $gte: 0 } })).toBe(320);
  expect(made).toBeLessThan(200);
  expect(made).toBeGreaterThanOrEqual(10);
});

test("a client alone has a commit for each of its writes", async () => {
  const made = await commitsDuring(async () => {
    for (let n = 0; n < 20; n++) await list().insertOne({ n });
  });
  expect(made).toBe(20);
});

test("one failure in a group is nobody else's", async () => {
  await list().createIndex({ key: 1 }, { unique: true, sparse: true });
  await list().insertOne({ key: "taken" });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 32 }, (_, i) =>
      list().insertOne({ key: i % 2 === 0 ? "taken" : `own ${i}` }),
    ),
  );
  expect(outcomes.filter((one) => one.status === "rejected")).toHaveLength(16);
  expect(await list().countDocuments({ key: /^own/ })).toBe(16);
});
