import type { Buffer } from "node:buffer";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { asBuffer } from "../bson/raw-document.ts";
import { decodeDocument } from "../document-codec.ts";
import type { Document } from "../document-codec.ts";
import { limits } from "../limits.ts";
import type { RedoRecord } from "./redo/redo-record.ts";
import { prepareRows } from "./sqlite.ts";

/** The last numbered write of a session and its outcome. */
export type SessionRecord = {
  readonly number: bigint;
  /** BSON: the outcome of each statement, or of the transaction. */
  readonly record: Buffer;
};

/**
 * Stores the last retryable write or transaction of every session, in the same commit as the data
 * that it wrote.
 */
export class SessionRecords {
  private readonly cached = new Map<string, SessionRecord>();
  private readonly select: StatementSync;
  private readonly upsert: StatementSync;
  private readonly unused: StatementSync;
  private readonly sweep: StatementSync;
  private readonly redo: RedoRecord;

  constructor(sql: DatabaseSync, redo: RedoRecord) {
    this.redo = redo;
    this.select = prepareRows(sql, "SELECT number, record FROM sessions WHERE id = ?");
    this.select.setReadBigInts(true);
    this.upsert = sql.prepare(
      `INSERT INTO sessions (id, number, usedAt, record) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE
       SET number = excluded.number, usedAt = excluded.usedAt, record = excluded.record`,
    );
    this.unused = sql.prepare("SELECT 1 FROM sessions WHERE usedAt < ? LIMIT 1");
    this.sweep = sql.prepare("DELETE FROM sessions WHERE usedAt < ?");
  }

  find(session: Buffer): SessionRecord | undefined {
    const key = session.toString("latin1");
    const known = this.cached.get(key);
    if (known !== undefined) return known;
    const row = this.select.get(session) as unknown as [bigint, Uint8Array] | undefined;
    if (row === undefined) return undefined;
    const found = { number: row[0], record: asBuffer(row[1]) };
    this.cache(key, found);
    return found;
  }

  save(session: Buffer, number: bigint, record: Buffer, usedAt: number = Date.now()): void {
    this.upsert.run(session, number, usedAt, record);
    this.redo.add({ kind: "session", session, number, usedAt, record });
    this.cache(session.toString("latin1"), { number, record });
  }

  hasUnusedSince(time: number): boolean {
    return this.unused.get(time) !== undefined;
  }

  /**
   * Deletes the records of sessions that have timed out. The deletion is not in the redo log, so a
   * crash can bring records back until the next call.
   */
  deleteUnusedSince(time: number): void {
    if (this.sweep.run(time).changes !== 0) this.cached.clear();
  }

  afterRollback(): void {
    this.cached.clear();
  }

  private cache(key: string, record: SessionRecord): void {
    if (record.record.length > limits.sessionCachedBytesMax) {
      this.cached.delete(key);
      return;
    }
    if (this.cached.size >= limits.sessionsCachedMax) this.cached.clear();
    this.cached.set(key, record);
  }
}

export function decodeRecord(record: SessionRecord): Document {
  return decodeDocument(record.record);
}
