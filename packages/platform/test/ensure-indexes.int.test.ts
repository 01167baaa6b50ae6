import { inOwnNamespace, startStore, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { ensureIndexes, isDuplicateKey, isStoreAway, missingIndexes } from "../src/mongo/index.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();
const index = { key: { number: 1 }, name: "number" } as const;

it("ensureIndexes waits for a store that is away and succeeds when it is back", async () => {
  const store = await startStore();
  onTestFinished(async () => void (await store.stop()));
  const servers = inOwnNamespace({ ...shared, mongodbUri: store.url });
  const service = await openTestService(servers);
  const things = service.store.db.collection("things");
  await store.kill();
  const ensuring = ensureIndexes(service, things, [index]);
  // A single attempt that starts later has failed by now.
  await expect(things.createIndexes([index])).rejects.toSatisfy(isStoreAway);
  await store.start();
  await ensuring;
  expect(await things.indexExists("number")).toBe(true);
});

it("ensureIndexes rejects at once when the documents violate the index", async () => {
  const service = await openTestService(inOwnNamespace(shared));
  const things = service.store.db.collection("things");
  await things.insertMany([{ number: 1 }, { number: 1 }]);
  const ensuring = ensureIndexes(service, things, [{ ...index, unique: true }]);
  await expect(ensuring).rejects.toSatisfy(isDuplicateKey);
});

it("ensureIndexes names the remedy when an index changed under its old name or key", async () => {
  const service = await openTestService(inOwnNamespace(shared));
  const things = service.store.db.collection("things");
  await ensureIndexes(service, things, [index]);
  const remedy = /indexes of things differ.*add the changed index under a new name/s;
  await expect(ensureIndexes(service, things, [{ ...index, key: { number: -1 } }])).rejects.toThrow(
    remedy,
  );
  await expect(
    ensureIndexes(service, things, [{ ...index, expireAfterSeconds: 60 }]),
  ).rejects.toThrow(remedy);
});

it("releases that add, replace and drop an index start side by side, and after a rollback", async () => {
  const service = await openTestService(inOwnNamespace(shared));
  const { db } = service.store;
  const things = db.collection("things");
  const old = { key: { businessid: 1, number: 1 }, name: "number" } as const;
  const replacement = {
    key: { businessid: 1, number: 1, createdat: -1 },
    name: "number2",
  } as const;
  const releases = [[old], [old, replacement], [replacement]];
  const start = async (release: number) => ensureIndexes(service, things, releases[release] ?? []);
  const present = async () => new Set((await things.indexes()).map(({ name }) => name));

  // During a rollout, replicas of both releases may restart.
  for (const release of [0, 1, 0, 1, 2, 1, 2]) await start(release);
  expect(await present()).toEqual(new Set(["_id_", "number", "number2"]));
  expect(await missingIndexes(db)).toEqual([]);

  await things.dropIndex("number");
  await start(2);
  expect(await present()).toEqual(new Set(["_id_", "number2"]));
  expect(await missingIndexes(db)).toEqual([]);

  await start(1);
  expect(await present()).toEqual(new Set(["_id_", "number", "number2"]));
});
