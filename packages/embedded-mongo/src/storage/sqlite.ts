import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { asBuffer } from "../bson/raw-document.ts";
import { epochBytes } from "./redo/redo-epoch.ts";
import type { Epoch } from "./redo/redo-epoch.ts";

/*
 * - One file holds everything, so that one commit covers documents, index entries and the records
 *   of retryable writes.
 * - The lock is exclusive. Two servers cannot share a folder, and SQLite keeps its index of the WAL
 *   in memory.
 * - The checkpoint runs when the WAL has 32,000 pages (125 MiB). By then most pages of a large
 *   index have changed several times and are written once. With more frequent checkpoints, inserts
 *   into a million documents took half as long again as inserts into a few.
 * - SQLite syncs only for checkpoints. The journal does all other syncs.
 * - Pages that change between two commits and do not fit in the cache go to the WAL early.
 */
const pragmas = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA page_size = 4096;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -32768;
  PRAGMA mmap_size = 0;
  PRAGMA temp_store = MEMORY;
  PRAGMA wal_autocheckpoint = 32000;
  PRAGMA journal_size_limit = 201326592;
`;

const schema = `
  CREATE TABLE IF NOT EXISTS collections (
    id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, options BLOB NOT NULL,
    UNIQUE (db, name)
  );
  CREATE TABLE IF NOT EXISTS indexes (
    id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, name TEXT NOT NULL,
    specification BLOB NOT NULL, multikey INTEGER NOT NULL DEFAULT 0,
    UNIQUE (collection, name)
  );
  CREATE TABLE IF NOT EXISTS sessions (
    id BLOB PRIMARY KEY, number INTEGER NOT NULL, usedAt INTEGER NOT NULL, record BLOB NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
`;

/** Raised with every new layout. An older server refuses a folder with a newer layout. */
const layoutVersion = 2;
/**
 * The layout without a redo log. A server of that layout must not open a folder with a redo log.
 */
const layoutWithoutRedo = 1;

export const fileName = "store.sqlite";

export function openSqlite(directory: string): DatabaseSync {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, fileName);
  createPrivateFile(path);
  const sql = new DatabaseSync(path, { timeout: 2_000 });
  try {
    sql.exec(pragmas);
    sql.exec(`BEGIN IMMEDIATE; ${schema} COMMIT;`);
    checkLayout(sql);
  } catch (error) {
    sql.close();
    if (error instanceof Error && error.message.includes("locked")) {
      throw new Error(`another server is using the folder ${directory}`, { cause: error });
    }
    throw error;
  }
  return sql;
}

/** SQLite lets everybody read a file that it creates, and gives its log the mode of the database. */
function createPrivateFile(path: string): void {
  // An existing file is not opened: to close it would release the locks of a server in this process.
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
}

function checkLayout(sql: DatabaseSync): void {
  const row = sql.prepare("SELECT value FROM settings WHERE name = 'layout'").get();
  if (row === undefined) {
    sql.prepare("INSERT INTO settings VALUES ('layout', ?)").run(layoutVersion);
  } else if (row["value"] === layoutWithoutRedo) {
    sql.prepare("UPDATE settings SET value = ? WHERE name = 'layout'").run(layoutVersion);
  } else if (row["value"] !== layoutVersion) {
    throw new Error(`the folder was written by another version (layout ${String(row["value"])})`);
  }
}

/** Undefined if the folder never had a redo log. */
export function readEpoch(sql: DatabaseSync): Epoch | undefined {
  const row = sql.prepare("SELECT value FROM settings WHERE name = 'epoch'").get();
  if (row === undefined) return undefined;
  const epoch = asBuffer(row["value"] as Uint8Array);
  if (epoch.length !== epochBytes) throw new Error("the store has an epoch of another length");
  return epoch;
}

export function saveEpoch(sql: DatabaseSync, epoch: Epoch): void {
  sql.prepare("INSERT OR REPLACE INTO settings VALUES ('epoch', ?)").run(epoch);
}

/** Prepares a statement whose rows are arrays. */
export function prepareRows(sql: DatabaseSync, text: string): StatementSync {
  const statement = sql.prepare(text);
  statement.setReturnArrays(true);
  return statement;
}
