import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { LogFile } from "../redo/log-file.ts";
import { nextEpoch } from "../redo/redo-epoch.ts";
import type { Epoch } from "../redo/redo-epoch.ts";
import { RedoLog } from "../redo/redo-log.ts";
import type { RedoRecord } from "../redo/redo-record.ts";
import { fileName, readEpoch, saveEpoch } from "../sqlite.ts";
import { replay } from "./replay.ts";
import type { ReplayTarget } from "./replay.ts";

export type JournalStore = ReplayTarget & {
  readonly sql: DatabaseSync;
  readonly record: RedoRecord;
  readonly redoBytesMax: number;
  /** SQLite's transaction was rolled back. The replay of answered groups follows. */
  readonly onRollback: () => void;
  /** A commit of SQLite failed. Nothing is lost, because the redo log still has all groups. */
  readonly onCommitError: (error: unknown) => void;
};

/**
 * Makes groups of writes durable. SQLite always has one transaction open. A group ends with one
 * record in the redo log. SQLite commits only now and then, so that a page that changes in every
 * group is written once for hundreds of groups.
 *
 * Every commit of SQLite begins a new epoch and stores it in the same commit. After a crash the
 * redo log is replayed if its epoch is the one that SQLite has stored.
 */
export class Journal {
  private readonly store: JournalStore;
  private readonly wal: LogFile;
  private readonly redo: RedoLog;
  private epoch: Epoch;
  /** Files with writes that need a sync, and files whose sync is under way. */
  private unsynced = new Set<LogFile>();
  private syncing = new Set<LogFile>();
  /** The length of the redo log at which SQLite commits. */
  private commitAtBytes: number;
  private lengthAtIdleCheck = 0;
  private lengthAtFailedCommit = 0;

  constructor(directory: string, store: JournalStore) {
    this.store = store;
    this.commitAtBytes = store.redoBytesMax;
    this.wal = new LogFile(join(directory, `${fileName}-wal`));
    this.epoch = readEpoch(store.sql) ?? nextEpoch(undefined);
    this.redo = new RedoLog(directory, this.epoch);
    this.recover();
  }

  /** An incomplete record ends the replay: its group was never answered. */
  private recover(): void {
    this.begin();
    this.replay();
    // Commits even if nothing was replayed. The new epoch keeps the bytes behind an incomplete
    // record from being read as the continuation of a new record.
    this.commit();
    this.syncNow();
  }

  private begin(): void {
    this.store.sql.exec("BEGIN IMMEDIATE");
  }

  private replay(): void {
    for (const payload of this.redo.payloads()) {
      replay(payload, this.store);
      this.store.record.clear();
    }
  }

  /** Ends a group. If this throws, the caller must undo the group with `rollBack`. */
  endGroup(): void {
    const { record, catalog } = this.store;
    if (catalog.hasSchemaChange || record.isTooLarge) {
      this.commit();
      return;
    }
    if (record.isEmpty) return;
    this.redo.append(record.seal(this.epoch));
    this.unsynced.add(this.redo.file);
    record.clear();
    if (this.redo.length >= this.commitAtBytes) this.tryCommit();
  }

  /** Undoes everything except the groups that have ended, which it replays from the redo log. */
  rollBack(): void {
    const { sql, catalog, record, onRollback } = this.store;
    this.exitOnError(() => {
      if (sql.isTransaction) sql.exec("ROLLBACK");
      this.begin();
      record.clear();
      onRollback();
      catalog.hasSchemaChange = false;
      this.replay();
    });
  }

  /** An error inside SQLite can end its transaction and drop groups that had ended. */
  restoreIfLost(): void {
    if (!this.store.sql.isTransaction) this.rollBack();
  }

  /** Commits if nothing was written since the last call. Returns true if it committed. */
  commitWhenIdle(): boolean {
    const { length } = this.redo;
    const isIdle =
      length > 0 && length === this.lengthAtIdleCheck && length !== this.lengthAtFailedCommit;
    this.lengthAtIdleCheck = length;
    return isIdle && this.tryCommit();
  }

  private tryCommit(): boolean {
    try {
      this.commit();
      return true;
    } catch (error) {
      this.commitAtBytes = this.redo.length + this.store.redoBytesMax;
      this.lengthAtFailedCommit = this.redo.length;
      this.rollBack();
      this.store.onCommitError(error);
      return false;
    }
  }

  private commit(): void {
    const { sql, record, catalog } = this.store;
    // The new epoch overwrites the file of the previous epoch. The answered groups in that file
    // are needed until the commit of SQLite that began the current epoch is on disk.
    if (this.unsynced.has(this.wal) || this.syncing.has(this.wal))
      this.exitOnError(() => this.wal.syncNow());
    const epoch = nextEpoch(this.epoch);
    saveEpoch(sql, epoch);
    sql.exec("COMMIT");
    this.epoch = epoch;
    this.redo.begin(epoch);
    this.unsynced = new Set([this.wal]);
    this.commitAtBytes = this.store.redoBytesMax;
    this.lengthAtFailedCommit = 0;
    record.clear();
    catalog.hasSchemaChange = false;
    this.exitOnError(() => this.begin());
  }

  /** Calls `done` when all groups that have ended are on disk. */
  startSync(done: () => void): void {
    this.syncing = this.unsynced;
    this.unsynced = new Set();
    if (this.syncing.size === 0) done();
    for (const file of this.syncing) {
      file.startSync(() => {
        this.syncing.delete(file);
        if (this.syncing.size === 0) done();
      });
    }
  }

  syncNow(): void {
    for (const file of new Set([...this.unsynced, ...this.syncing])) file.syncNow();
    this.unsynced.clear();
  }

  /** Closes SQLite as well. All groups must have ended. */
  close(): void {
    const { sql } = this.store;
    const isCommitted = sql.isOpen && this.commitBeforeClose();
    if (sql.isOpen) sql.close();
    this.wal.close();
    this.redo.close();
    if (isCommitted) this.redo.remove();
  }

  private commitBeforeClose(): boolean {
    try {
      this.commit();
    } catch (error) {
      this.store.onCommitError(error);
      return false;
    }
    this.syncNow();
    return true;
  }

  /**
   * Ends the process if `step` fails. The answered groups are on disk; the next start finds them.
   */
  private exitOnError(step: () => void): void {
    try {
      step();
    } catch (cause) {
      const reason = new Error("the store cannot continue", { cause });
      if (this.store.sql.isOpen) this.store.sql.close();
      setImmediate(() => {
        throw reason;
      });
      throw reason;
    }
  }
}
