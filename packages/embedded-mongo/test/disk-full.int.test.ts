import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeDocument } from "../src/bson/values.ts";
import { Store } from "../src/storage/store.ts";

test("when the disk is full the whole group is undone, and what was committed stays", async () => {
  const dir = await mkdtemp(join(tmpdir(), "embedded-mongo-full-"));
  const store = new Store(dir);
  store.group.join();
  store.catalog.create("test", "kept", {}).insert(encodeDocument({ _id: 1 }));
  store.group.commit();
  store.sql.exec("PRAGMA max_page_count = 60");

  const told: string[] = [];
  store.group.join();
  const lost = store.catalog.create("test", "lost", {});
  store.group.whenCommitted({
    committed: () => told.push("committed"),
    failed: () => told.push("failed"),
  });
  const large = encodeDocument({ text: "x".repeat(1_000_000) });
  expect(() => lost.insert(large)).toThrow("full");
  store.group.abandon(new Error("full"));

  expect(told).toEqual(["failed"]);
  expect(store.catalog.find("test", "lost")).toBeUndefined();
  const kept = store.catalog.find("test", "kept");
  expect(kept?.count).toBe(1);
  store.group.join();
  kept?.insert(encodeDocument({ _id: 2 }));
  store.group.commit();
  expect(kept?.count).toBe(2);
  store.close();
  await rm(dir, { recursive: true, force: true });
});
