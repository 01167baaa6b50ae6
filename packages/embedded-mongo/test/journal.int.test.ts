import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { decodeDocument, encodeDocument } from "../src/document-codec.ts";
import { Catalog } from "../src/storage/collections/catalog.ts";
import type { Collection } from "../src/storage/collections/collection.ts";
import { nextEpoch } from "../src/storage/redo/redo-epoch.ts";
import { RedoLog } from "../src/storage/redo/redo-log.ts";
import { RedoRecord } from "../src/storage/redo/redo-record.ts";
import { replay } from "../src/storage/journal/replay.ts";
import { SessionRecords } from "../src/storage/session-records.ts";
import { openSqlite, readEpoch } from "../src/storage/sqlite.ts";
import { Store } from "../src/storage/store.ts";
import { killedCopy } from "./support/killed-copy.ts";

let folders: string[];
let dir: string;
let store: Store;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "embedded-mongo-redo-"));
  folders = [dir];
  store = new Store(dir);
  await group(() => store.catalog.create("test", "list", {}));
});
afterEach(() => {
  store.close();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const list = (of = store): Collection => of.catalog.find("test", "list")!;
const insert = (_id: number): number => list().insert(encodeDocument({ _id }));

function documentAt(rid: number, of = store) {
  const found = list(of).read(rid);
  if (found === undefined) throw new Error(`there is no document ${rid}`);
  return found;
}

/** Runs a change as one group. Resolves when it is on disk. */
function group(change: () => unknown, of = store): Promise<void> {
  of.group.join();
  change();
  return new Promise((committed, failed) => {
    of.group.whenDurable({ onDurable: committed, onFailed: failed });
    of.group.commit();
  });
}

/** Rolls back a group with one insert. Settles as its client is answered. */
function rolledBack(id: number): Promise<void> {
  store.group.join();
  insert(id);
  const answer = new Promise<void>((committed, failed) => {
    store.group.whenDurable({ onDurable: committed, onFailed: failed });
  });
  store.group.rollBack(new Error("undone"));
  return answer;
}

function copied(from = dir): string {
  const copy = killedCopy(from);
  folders.push(copy);
  return copy;
}

function idsIn(folder: string): unknown[] {
  const opened = new Store(folder);
  const collection = list(opened);
  const rows = collection.statement(`SELECT doc FROM ${collection.table} ORDER BY rid`).all();
  const ids = (rows as unknown as [Uint8Array][]).map(
    ([doc]) => decodeDocument(Buffer.from(doc))["_id"],
  );
  expect(collection.count).toBe(ids.length);
  expect(opened.sql.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  opened.close();
  return ids;
}

/** Commits SQLite. The first call only notices the idle state; the second commits. */
function commitIdle(): void {
  store.commitWhenIdle();
  store.commitWhenIdle();
}

const walBytes = () => statSync(join(dir, "store.sqlite-wal")).size;

test("a group is written to the redo log only and survives a kill", async () => {
  const before = walBytes();
  await group(() => insert(1));
  const rid = await new Promise<number>((resolve) => void group(() => resolve(insert(2))));
  await group(() => {
    list().replace(rid, documentAt(rid), encodeDocument({ _id: 2, n: 1 }));
    list().remove(rid - 1, documentAt(rid - 1));
    store.sessions.save(Buffer.from("session"), 7n, encodeDocument({ inserted: [0, 1] }));
  });
  expect(walBytes()).toBe(before);
  const copy = copied();
  const opened = new Store(copy);
  expect(decodeDocument(documentAt(rid, opened))).toEqual({ _id: 2, n: 1 });
  expect(list(opened).count).toBe(1);
  expect(opened.sessions.find(Buffer.from("session"))?.number).toBe(7n);
  opened.close();
});

test("a start after a kill does not replay groups that SQLite has committed", async () => {
  await group(() => insert(1));
  const wal = walBytes();
  commitIdle();
  expect(walBytes()).toBeGreaterThan(wal);
  expect(idsIn(copied())).toEqual([1]);
  await group(() => insert(2));
  expect(idsIn(copied())).toEqual([1, 2]);
});

test("the previous redo log restores all groups when SQLite's commit is not on disk", async () => {
  await group(() => insert(1));
  const wal = walBytes();
  commitIdle();
  // The client of this group has not been answered, because SQLite's commit is not on disk.
  store.group.join();
  insert(2);
  store.group.commit();
  const copy = copied();
  truncateSync(join(copy, "store.sqlite-wal"), wal);
  expect(idsIn(copy)).toEqual([1]);
});

test("a replay that is killed twice loses no group", async () => {
  for (const id of [1, 2, 3, 4]) await group(() => insert(id));
  let killed = copied();
  for (const done of [2, 3]) {
    const sql = openSqlite(killed);
    const record = new RedoRecord();
    const into = { catalog: new Catalog(sql, record), sessions: new SessionRecords(sql, record) };
    const redo = new RedoLog(killed, readEpoch(sql) ?? nextEpoch(undefined));
    // A small cache, so that SQLite writes half of the replay to its WAL early.
    sql.exec("PRAGMA cache_size = 1; BEGIN IMMEDIATE");
    for (const payload of [...redo.payloads()].slice(0, done)) replay(payload, into);
    killed = copied(killed);
    sql.close();
    redo.close();
  }
  expect(idsIn(killed)).toEqual([1, 2, 3, 4]);
  expect(idsIn(copied(killed))).toEqual([1, 2, 3, 4]);
});

test("the rollback of a group keeps all ended groups, in SQLite and in the redo log", async () => {
  await expect(rolledBack(9)).rejects.toThrow("undone");
  await group(() => insert(1));
  await group(() => insert(2));
  await expect(rolledBack(3)).rejects.toThrow("undone");
  expect(list().count).toBe(2);
  await group(() => insert(4));
  expect(list().count).toBe(3);
  expect(idsIn(copied())).toEqual([1, 2, 4]);
});

test("the changes of an overlay or of a failed atomic part are not stored", async () => {
  await group(() => insert(0));
  store.beginOverlay();
  insert(1);
  commitIdle();
  store.rollBackOverlay();
  await group(() => {
    insert(2);
    const part = () => {
      insert(3);
      throw new Error("not this");
    };
    expect(() => store.runAtomically(part)).toThrow("not this");
    insert(4);
  });
  expect(list().count).toBe(3);
  expect(idsIn(copied())).toEqual([0, 2, 4]);
});

test("a rollback inside SQLite loses no answered group", async () => {
  await group(() => insert(1));
  store.sql.exec("ROLLBACK");
  store.group.rollBack(new Error("of a read"));
  expect(list().count).toBe(1);
  store.beginOverlay();
  insert(2);
  store.sql.exec("ROLLBACK");
  store.rollBackOverlay();
  expect(list().count).toBe(1);
  store.group.join();
  const lost = () => {
    insert(3);
    store.sql.exec("ROLLBACK");
    throw new Error("lost");
  };
  expect(() => store.runAtomically(lost)).toThrow("lost");
  store.group.rollBack(new Error("lost"));
  expect(list().count).toBe(1);
  await group(() => insert(4));
  expect(idsIn(copied())).toEqual([1, 4]);
});

test("new collections and indexes, and later writes to them, survive a kill", async () => {
  await group(() => insert(1));
  await group(() => {
    insert(2);
    store.catalog.addIndex(list(), { v: 2, key: { n: 1 }, name: "n_1" });
    store.catalog.create("test", "young", {}).insert(encodeDocument({ _id: 1 }));
  });
  await group(() =>
    store.catalog.find("test", "young")!.insert(encodeDocument({ _id: 2, n: [1] })),
  );
  await group(() => insert(3));
  const copy = copied();
  expect(idsIn(copy)).toEqual([1, 2, 3]);
  const opened = new Store(copy);
  expect(opened.catalog.find("test", "young")?.count).toBe(2);
  expect(list(opened).indexes).toHaveLength(2);
  opened.close();
});

test("a group that is too large for a redo record is committed by SQLite", async () => {
  const text = "x".repeat(6_000_000);
  await group(() => insert(1));
  await group(() => {
    for (const _id of [2, 3, 4]) list().insert(encodeDocument({ _id, text }));
  });
  await group(() => insert(5));
  expect(idsIn(copied())).toEqual([1, 2, 3, 4, 5]);
});

test("a failed commit of SQLite loses no group and is repeated later", async () => {
  store.close();
  store = new Store(dir, 1_000);
  const reported: unknown[] = [];
  store.onBackgroundError = (error) => reported.push(error);
  store.sql.exec(`
    CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE children (parent REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);
  `);
  await group(() => store.catalog.create("test", "more", {}));
  for (const id of [1, 2, 3]) await group(() => insert(id));
  store.sql.exec("INSERT INTO children VALUES (1)");
  const text = "x".repeat(1_000);
  await group(() => list().insert(encodeDocument({ _id: 4, text })));
  expect(reported).toHaveLength(1);
  expect(list().count).toBe(4);
  expect(idsIn(copied())).toEqual([1, 2, 3, 4]);
  const wal = walBytes();
  await group(() => list().insert(encodeDocument({ _id: 5, text })));
  expect(walBytes()).toBeGreaterThan(wal);
  expect(idsIn(copied())).toEqual([1, 2, 3, 4, 5]);
  expect(reported).toHaveLength(1);
});

test("the folder contains only the file of SQLite after an orderly stop", async () => {
  await group(() => insert(1));
  store.close();
  expect(readdirSync(dir)).toEqual(["store.sqlite"]);
  store = new Store(dir);
  expect(list().count).toBe(1);
});

test("the folder of a server without a redo log opens and gets the new layout version", async () => {
  await group(() => insert(1));
  store.close();
  const sql = new DatabaseSync(join(dir, "store.sqlite"));
  sql.exec("UPDATE settings SET value = 1 WHERE name = 'layout'");
  sql.exec("DELETE FROM settings WHERE name = 'epoch'");
  sql.close();
  store = new Store(dir);
  await group(() => insert(2));
  const copy = copied();
  expect(idsIn(copy)).toEqual([1, 2]);
  copyFileSync(join(copy, "store.sqlite"), join(copy, "other.sqlite"));
  const upgraded = new DatabaseSync(join(copy, "other.sqlite"));
  const layout = upgraded.prepare("SELECT value FROM settings WHERE name = 'layout'").get();
  expect(layout).toEqual({ value: 2 });
  upgraded.close();
});
