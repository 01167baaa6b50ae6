import type { DatabaseSync } from "node:sqlite";
import { limits } from "../limits.ts";
import { Catalog } from "./catalog.ts";
import { CommitGroup } from "./commit-group.ts";
import { Journal } from "./journal.ts";
import { RedoRecord } from "./redo-record.ts";
import { SessionRecords } from "./session-records.ts";
import { openSqlite } from "./sqlite.ts";

/** Everything that is on disk. */
export class Store {
  readonly sql: DatabaseSync;
  readonly catalog: Catalog;
  readonly group: CommitGroup;
  readonly sessions: SessionRecords;
  private readonly record = new RedoRecord();
  private readonly journal: Journal;
  private isLaidOver = false;

  /** Hears that writes were undone that had been made already. */
  whenAbandoned: () => void = () => undefined;
  /** Hears of errors that no client is told of. */
  report: (error: unknown) => void = () => undefined;

  constructor(directory: string, redoBytesMax: number = limits.redoBytesMax) {
    const { record } = this;
    this.sql = openSqlite(directory);
    try {
      this.catalog = new Catalog(this.sql, record);
      this.sessions = new SessionRecords(this.sql, record);
      this.journal = new Journal(directory, {
        sql: this.sql,
        catalog: this.catalog,
        sessions: this.sessions,
        record,
        redoBytesMax,
        rolledBack: () => {
          this.catalog.changed = true;
          this.afterRollback();
          this.whenAbandoned();
        },
        commitFailed: (error) => this.report(error),
      });
    } catch (error) {
      this.sql.close();
      throw error;
    }
    this.group = new CommitGroup(this.journal);
  }

  /** Runs a change of many parts; if it throws, none of it stays. */
  undoable(change: () => void): void {
    const { mark } = this.record;
    this.sql.exec("SAVEPOINT undoable");
    try {
      change();
    } catch (error) {
      // Otherwise SQLite has undone all there was, and the error ends the whole group.
      if (this.sql.isTransaction) {
        this.sql.exec("ROLLBACK TO undoable; RELEASE undoable");
        this.record.backTo(mark);
        this.afterRollback();
        // What the transaction around it changed before is not committed yet either.
        this.catalog.changed = true;
      }
      throw error;
    }
    this.sql.exec("RELEASE undoable");
  }

  /** What is changed from now on, outside of any group, is there until `takeOff` only. */
  layOver(): void {
    this.sql.exec("SAVEPOINT overlay");
    this.isLaidOver = true;
  }

  takeOff(): void {
    this.isLaidOver = false;
    if (!this.sql.isTransaction) {
      this.journal.undo();
      return;
    }
    this.sql.exec("ROLLBACK TO overlay; RELEASE overlay");
    this.record.clear();
    this.afterRollback();
  }

  /** For quiet moments: lets SQLite commit, so that a start has less to replay. */
  settle(): void {
    if (!this.isLaidOver) this.group.settle();
  }

  private afterRollback(): void {
    this.catalog.afterRollback();
    this.sessions.afterRollback();
  }

  close(): void {
    this.group.finish();
    this.journal.close();
  }
}
