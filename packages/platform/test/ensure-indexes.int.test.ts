import { inOwnNamespace, startStore, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { ensureIndexes, isDuplicateKey, isStoreAway } from "../src/mongo/index.ts";
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
