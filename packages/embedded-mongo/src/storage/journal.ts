import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { LogFile } from "./log-file.ts";
import { epochAfter } from "./redo-epoch.ts";
import type { Epoch } from "./redo-epoch.ts";
import { RedoLog } from "./redo-log.ts";
import type { RedoRecord } from "./redo-record.ts";
import { replay } from "./replay.ts";
import type { Replayed } from "./replay.ts";
import { fileName, readEpoch, saveEpoch } from "./sqlite.ts";

export type Journaled = Replayed & {
  readonly sql: DatabaseSync;
  readonly record: RedoRecord;
  readonly redoBytesMax: number;
  /** SQLite's transaction was rolled back; what had been told to clients is about to be replayed. */
  readonly rolledBack: () => void;
  /** Hears of a commit of SQLite that failed and lost nothing, for the redo log has it all. */
  readonly commitFailed: (error: unknown) => void;
};

/**
 * Keeps what is written. One transaction of SQLite is always open; a group of writes ends with a
 * record in the redo log, and SQLite commits now and then, so that a page that changes in every
 * group is written once for hundreds of them. Every commit of SQLite begins a new epoch and says so
 * in itself: after a crash the redo log is replayed if it is of the epoch that SQLite knows.
 */
export class Journal {
  private readonly store: Journaled;
  private readonly wal: LogFile;
  private readonly redo: RedoLog;
  private epoch: Epoch;
  /** What must be brought to the disk, and what is on its way. */
  private unsynced = new Set<LogFile>();
  private syncing = new Set<LogFile>();
  private commitAt: number;
  private lengthBefore = 0;
  /** How long the redo log was when SQLite could not commit. */
  private refusedLength = 0;

  constructor(directory: string, store: Journaled) {
    this.store = store;
    this.commitAt = store.redoBytesMax;
    this.wal = new LogFile(join(directory, `${fileName}-wal`));
    this.epoch = readEpoch(store.sql) ?? epochAfter(undefined);
    this.redo = new RedoLog(directory, this.epoch);
    this.recover();
  }

  /** A record that is not whole ends the replay: nobody was told of its group. */
  private recover(): void {
    this.begin();
    this.replay();
    // Even with nothing to replay: what lies behind such a record must not seem to follow a new one.
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

  /** Ends a group. When it throws, nothing of the group may stay: see `undo`. */
  end(): void {
    const { record, catalog } = this.store;
    if (catalog.restructured || record.isTooLarge) {
      this.commit();
      return;
    }
    if (record.isEmpty) return;
    this.redo.append(record.seal(this.epoch));
    this.unsynced.add(this.redo.file);
    record.clear();
    if (this.redo.length >= this.commitAt) this.tryCommit();
  }

  /** Undoes all that is in no group that has ended. */
  undo(): void {
    const { sql, catalog, record, rolledBack } = this.store;
    this.mustSucceed(() => {
      if (sql.isTransaction) sql.exec("ROLLBACK");
      this.begin();
      record.clear();
      rolledBack();
      catalog.restructured = false;
      this.replay();
    });
  }

  /** An error of SQLite's own may have ended its transaction, and with it groups that had ended. */
  undoIfLost(): void {
    if (!this.store.sql.isTransaction) this.undo();
  }

  /** Commits when nothing was written since the last call. True when it did. */
  commitWhenIdle(): boolean {
    const { length } = this.redo;
    const isIdle = length > 0 && length === this.lengthBefore && length !== this.refusedLength;
    this.lengthBefore = length;
    return isIdle && this.tryCommit();
  }

  private tryCommit(): boolean {
    try {
      this.commit();
      return true;
    } catch (error) {
      this.commitAt = this.redo.length + this.store.redoBytesMax;
      this.refusedLength = this.redo.length;
      this.undo();
      this.store.commitFailed(error);
      return false;
    }
  }

  private commit(): void {
    const { sql, record, catalog } = this.store;
    // The file of the new epoch may have what was told to clients before the last commit.
    if (this.unsynced.has(this.wal) || this.syncing.has(this.wal))
      this.mustSucceed(() => this.wal.syncNow());
    const epoch = epochAfter(this.epoch);
    saveEpoch(sql, epoch);
    sql.exec("COMMIT");
    this.epoch = epoch;
    this.redo.begin(epoch);
    this.unsynced = new Set([this.wal]);
    this.commitAt = this.store.redoBytesMax;
    this.refusedLength = 0;
    record.clear();
    catalog.restructured = false;
    this.mustSucceed(() => this.begin());
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
    const isCommitted = sql.isOpen && this.commitLast();
    if (sql.isOpen) sql.close();
    this.wal.close();
    this.redo.close();
    if (isCommitted) this.redo.remove();
  }

  private commitLast(): boolean {
    try {
      this.commit();
    } catch (error) {
      this.store.commitFailed(error);
      return false;
    }
    this.syncNow();
    return true;
  }

  /** Otherwise the process ends: what clients were told is on disk, and a start will find it. */
  private mustSucceed(step: () => void): void {
    try {
      step();
    } catch (cause) {
      const reason = new Error("the store cannot go on", { cause });
      if (this.store.sql.isOpen) this.store.sql.close();
      setImmediate(() => {
        throw reason;
      });
      throw reason;
    }
  }
}
