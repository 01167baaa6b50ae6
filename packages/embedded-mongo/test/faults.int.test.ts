import { MongoServerError } from "mongodb";
import { afterEach, expect, test } from "vitest";
import { readFaults } from "../src/faults/random-faults.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
afterEach(() => at.stop());

const quiet = {
  cutBefore: 0,
  cutAfter: 0,
  notPrimary: 0,
  writeConflict: 0,
  upsertRace: 0,
  slow: 0,
};

test("retryable writes hide injected faults and apply each write once", async () => {
  // After an error the driver checks the server again, but not more often than this.
  at = await testServer(
    { faults: { ...quiet, cutBefore: 0.03, cutAfter: 0.03, notPrimary: 0.03, seed: 3 } },
    { minHeartbeatFrequencyMS: 5 },
  );
  const counters = at.client.db("test").collection<{ _id: string; n: number }>("counters");
  let acknowledged = 0;
  let unknown = 0;
  for (let i = 0; i < 400; i++) {
    try {
      await counters.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { upsert: true });
      acknowledged++;
    } catch {
      unknown++;
    }
  }
  expect(unknown).toBeLessThan(20);
  const found = await counters.findOne({ _id: "a" });
  expect(found?.n).toBeGreaterThanOrEqual(acknowledged);
  expect(found?.n).toBeLessThanOrEqual(acknowledged + unknown);
});

test("racing upserts of the same key can fail with E11000", async () => {
  at = await testServer({ faults: { ...quiet, upsertRace: 1 } });
  const keys = at.client.db("test").collection("keys");
  await keys.createIndex({ key: 1 }, { unique: true });
  // Open the connections first: an upsert that is 0.1 s late does not race any more.
  await Promise.all(Array.from({ length: 5 }, () => keys.countDocuments()));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 5 }, () =>
      keys.updateOne({ key: "same" }, { $inc: { n: 1 } }, { upsert: true }),
    ),
  );
  const failed = outcomes.filter((one) => one.status === "rejected");
  expect(failed).toHaveLength(4);
  for (const one of failed)
    expect(one.reason).toMatchObject({ code: 11000, keyValue: { key: "same" } });
  expect(await keys.countDocuments()).toBe(1);
});

test("transactions succeed after retries of injected write conflicts", async () => {
  at = await testServer({ faults: { ...quiet, writeConflict: 0.3, seed: 5 } });
  const accounts = at.client.db("test").collection<{ _id: string; n: number }>("accounts");
  await accounts.insertOne({ _id: "a", n: 0 });
  for (let i = 0; i < 10; i++) {
    await at.client.withSession((session) =>
      session.withTransaction(() =>
        accounts.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session }),
      ),
    );
  }
  expect((await accounts.findOne({ _id: "a" }))?.n).toBe(10);
});

test("the same seed gives the same sequence of faults", () => {
  expect(readFaults("seed=7, cutAfter=0.5")).toEqual({ seed: 7, cutAfter: 0.5 });
  expect(() => readFaults("cutafter=1")).toThrow("unknown fault 'cutafter'");
  expect(() => readFaults("slow=often")).toThrow("must be a number");
  return testServer({ faults: {} }).then((server) => {
    at = server;
  });
});

test("configureFailPoint injects the requested failures", async () => {
  at = await testServer({ testCommands: true });
  const admin = at.client.db("admin");
  const list = at.client.db("test").collection("list");
  await admin.command({
    configureFailPoint: "failCommand",
    mode: { times: 1 },
    data: { failCommands: ["insert"], errorCode: 8, errorLabels: [] },
  });
  await expect(list.insertOne({})).rejects.toMatchObject({ code: 8 });
  await list.insertOne({});
  await admin.command({
    configureFailPoint: "failCommand",
    mode: { times: 1 },
    data: { failCommands: ["insert"], closeConnection: true },
  });
  await list.insertOne({});
  expect(await list.countDocuments()).toBe(2);
  await admin.command({
    configureFailPoint: "failCommand",
    mode: { times: 1 },
    data: {
      failCommands: ["insert"],
      writeConcernError: { code: 91, errmsg: "later" },
      errorLabels: ["RetryableWriteError"],
    },
  });
  await list.insertOne({});
  expect(await list.countDocuments()).toBe(3);
});

test("configureFailPoint is unknown when test commands are disabled", async () => {
  at = await testServer();
  const asked = at.client.db("admin").command({ configureFailPoint: "failCommand", mode: "off" });
  await expect(asked).rejects.toBeInstanceOf(MongoServerError);
  await expect(asked).rejects.toMatchObject({ code: 59 });
});
