import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { decodeDocument, encodeDocument } from "../src/bson/values.ts";
import { Catalog } from "../src/storage/catalog.ts";
import type { Collection } from "../src/storage/collection.ts";
import { epochAfter } from "../src/storage/redo-epoch.ts";
import { RedoLog } from "../src/storage/redo-log.ts";
import { RedoRecord } from "../src/storage/redo-record.ts";
import { replay } from "../src/storage/replay.ts";
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

/** Ends when it is on disk. */
function group(change: () => unknown, of = store): Promise<void> {
  of.group.join();
  change();
  return new Promise((committed, failed) => {
    of.group.whenCommitted({ committed, failed });
    of.group.commit();
  });
}

/** What its client was told. */
function undone(id: number): Promise<void> {
  store.group.join();
  insert(id);
  const told = new Promise<void>((committed, failed) => {
    store.group.whenCommitted({ committed, failed });
  });
  store.group.abandon(new Error("undone"));
  return told;
}

function copied(from = dir): string {
  const copy = killedCopy(from);
  folders.push(copy);
  return copy;
}

function idsIn(folder: string): unknown[] {
  const opened = new Store(folder);
  const collection = list(opened);
  const rows = collection.rows(`SELECT doc FROM ${collection.table} ORDER BY rid`).all();
  const ids = (rows as unknown as [Uint8Array][]).map(
    ([doc]) => decodeDocument(Buffer.from(doc))["_id"],
  );
  expect(collection.count).toBe(ids.length);
  expect(opened.sql.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  opened.close();
  return ids;
}

/** Twice, as there must be a quiet while first. */
function settle(): void {
  store.settle();
  store.settle();
}

const walBytes = () => statSync(join(dir, "store.sqlite-wal")).size;

test("a group is in the redo log alone, and there after a kill", async () => {
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

test("a kill after SQLite's commit does not repeat what it has", async () => {
  await group(() => insert(1));
  const wal = walBytes();
  settle();
  expect(walBytes()).toBeGreaterThan(wal);
  expect(idsIn(copied())).toEqual([1]);
  await group(() => insert(2));
  expect(idsIn(copied())).toEqual([1, 2]);
});

test("when SQLite's commit is not on disk, the redo log of before still is", async () => {
  await group(() => insert(1));
  const wal = walBytes();
  settle();
  // Nobody has been told of this one, for SQLite's commit is not on disk.
  store.group.join();
  insert(2);
  store.group.commit();
  const copy = copied();
  truncateSync(join(copy, "store.sqlite-wal"), wal);
  expect(idsIn(copy)).toEqual([1]);
});

test("a kill in the middle of a replay, and of the next, loses nothing", async () => {
  for (const id of [1, 2, 3, 4]) await group(() => insert(id));
  let killed = copied();
  for (const done of [2, 3]) {
    const sql = openSqlite(killed);
    const record = new RedoRecord();
    const into = { catalog: new Catalog(sql, record), sessions: new SessionRecords(sql, record) };
    const redo = new RedoLog(killed, readEpoch(sql) ?? epochAfter(undefined));
    // So small that half of a replay is in SQLite's log already.
    sql.exec("PRAGMA cache_size = 1; BEGIN IMMEDIATE");
    for (const payload of [...redo.payloads()].slice(0, done)) replay(payload, into);
    killed = copied(killed);
    sql.close();
    redo.close();
  }
  expect(idsIn(killed)).toEqual([1, 2, 3, 4]);
  expect(idsIn(copied(killed))).toEqual([1, 2, 3, 4]);
});

test("undoing a group leaves those that had ended, in SQLite and in the redo log", async () => {
  await expect(undone(9)).rejects.toThrow("undone");
  await group(() => insert(1));
  await group(() => insert(2));
  await expect(undone(3)).rejects.toThrow("undone");
  expect(list().count).toBe(2);
  await group(() => insert(4));
  expect(list().count).toBe(3);
  expect(idsIn(copied())).toEqual([1, 2, 4]);
});

test("what was laid over, or undone as a part of a group, is nowhere", async () => {
  await group(() => insert(0));
  store.layOver();
  insert(1);
  settle();
  store.takeOff();
  await group(() => {
    insert(2);
    const part = () => {
      insert(3);
      throw new Error("not this");
    };
    expect(() => store.undoable(part)).toThrow("not this");
    insert(4);
  });
  expect(list().count).toBe(3);
  expect(idsIn(copied())).toEqual([0, 2, 4]);
});

test("when SQLite has ended its transaction by itself, all that was told is there again", async () => {
  await group(() => insert(1));
  store.sql.exec("ROLLBACK");
  store.group.abandon(new Error("of a read"));
  expect(list().count).toBe(1);
  store.layOver();
  insert(2);
  store.sql.exec("ROLLBACK");
  store.takeOff();
  expect(list().count).toBe(1);
  store.group.join();
  const lost = () => {
    insert(3);
    store.sql.exec("ROLLBACK");
    throw new Error("lost");
  };
  expect(() => store.undoable(lost)).toThrow("lost");
  store.group.abandon(new Error("lost"));
  expect(list().count).toBe(1);
  await group(() => insert(4));
  expect(idsIn(copied())).toEqual([1, 4]);
});

test("what is created with documents, and written to later, survives a kill", async () => {
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

test("a group that is too large for a record is SQLite's to commit", async () => {
  const text = "x".repeat(6_000_000);
  await group(() => insert(1));
  await group(() => {
    for (const _id of [2, 3, 4]) list().insert(encodeDocument({ _id, text }));
  });
  await group(() => insert(5));
  expect(idsIn(copied())).toEqual([1, 2, 3, 4, 5]);
});

test("a commit of SQLite that fails loses nothing, and is made later", async () => {
  store.close();
  store = new Store(dir, 1_000);
  const reported: unknown[] = [];
  store.report = (error) => reported.push(error);
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

test("a folder is SQLite's files alone when its server has ended", async () => {
  await group(() => insert(1));
  store.close();
  expect(readdirSync(dir)).toEqual(["store.sqlite"]);
  store = new Store(dir);
  expect(list().count).toBe(1);
});

test("a folder of a server without a redo log opens, and is closed to that server", async () => {
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
