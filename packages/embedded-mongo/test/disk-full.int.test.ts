import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MongoClient } from "mongodb";
import { encodeDocument } from "../src/document-codec.ts";
import { Store } from "../src/storage/store.ts";
import { childServer, confinedServer } from "./support/child-server.ts";

test("a full disk undoes the whole commit group and keeps committed data", async () => {
  const dir = await mkdtemp(join(tmpdir(), "embedded-mongo-full-"));
  const store = new Store(dir);
  store.group.join();
  store.catalog.create("test", "kept", {}).insert(encodeDocument({ _id: 1 }));
  store.group.commit();
  store.group.join();
  store.catalog.find("test", "kept")?.insert(encodeDocument({ _id: 0 }));
  store.group.commit();
  store.sql.exec("PRAGMA max_page_count = 60");

  const answers: string[] = [];
  store.group.join();
  const lost = store.catalog.create("test", "lost", {});
  store.group.whenDurable({
    onDurable: () => answers.push("committed"),
    onFailed: () => answers.push("failed"),
  });
  const large = encodeDocument({ text: "x".repeat(1_000_000) });
  expect(() => lost.insert(large)).toThrow("full");
  store.group.rollBack(new Error("full"));

  expect(answers).toEqual(["failed"]);
  expect(store.catalog.find("test", "lost")).toBeUndefined();
  const kept = store.catalog.find("test", "kept");
  expect(kept?.count).toBe(2);
  store.group.join();
  kept?.insert(encodeDocument({ _id: 2 }));
  store.group.commit();
  expect(kept?.count).toBe(3);
  store.close();
  await rm(dir, { recursive: true, force: true });
});

test("a disk that fills up under load refuses writes and loses no acknowledged write", async () => {
  const dir = await mkdtemp(join(tmpdir(), "embedded-mongo-full-"));
  const acknowledged: number[] = [];
  const refused: unknown[] = [];
  const full = await confinedServer(dir, 2_000);
  const client = await MongoClient.connect(full.uri, { retryWrites: false });
  const write = async (n: number): Promise<void> => {
    const list = client.db("test").collection<{ _id: number; text: string }>("list");
    try {
      await list.insertOne({ _id: n, text: String(n).padEnd(40_000, "x") });
      acknowledged.push(n);
    } catch (error) {
      refused.push((error as { code?: unknown }).code);
    }
  };
  for (let n = 0; refused.length < 6; n += 4) {
    await Promise.all([n, n + 1, n + 2, n + 3].map(write));
  }
  expect(new Set(refused)).toEqual(new Set([11602]));
  acknowledged.sort((a, b) => a - b);
  expect(await idsAt(client)).toEqual(acknowledged);
  await full.kill();
  await client.close(true);

  const restarted = await childServer(dir);
  const later = await MongoClient.connect(restarted.uri);
  expect(await idsAt(later)).toEqual(acknowledged);
  const checked = await later.db("test").command({ validate: "list" });
  expect(checked).toMatchObject({ valid: true, nrecords: acknowledged.length });
  await later.close();
  await restarted.kill();
  await rm(dir, { recursive: true, force: true });
});

async function idsAt(client: MongoClient): Promise<number[]> {
  const list = client.db("test").collection<{ _id: number }>("list");
  const found = await list.find({}, { projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => _id).toSorted((a, b) => a - b);
}
