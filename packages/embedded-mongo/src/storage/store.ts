import type { DatabaseSync } from "node:sqlite";
import { limits } from "../limits.ts";
import { Catalog } from "./collections/catalog.ts";
import { CommitGroup } from "./group-commit/commit-group.ts";
import { Journal } from "./journal/journal.ts";
import { RedoRecord } from "./redo/redo-record.ts";
import { SessionRecords } from "./session-records.ts";
import { openSqlite } from "./sqlite.ts";

/** The stored data: documents, indexes and session records, made durable by the commit group. */
export class Store {
  readonly sql: DatabaseSync;
  readonly catalog: Catalog;
  readonly group: CommitGroup;
  readonly sessions: SessionRecords;
  private readonly record = new RedoRecord();
  private readonly journal: Journal;
  private hasOverlay = false;

  /** Called after writes have been rolled back. */
  onRollback: () => void = () => undefined;
  /** Receives errors that are not reported to any client. */
  onBackgroundError: (error: unknown) => void = () => undefined;

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
        onRollback: () => {
          this.catalog.isChanged = true;
          this.afterRollback();
          this.onRollback();
        },
        onCommitError: (error) => this.onBackgroundError(error),
      });
    } catch (error) {
      this.sql.close();
      throw error;
    }
    this.group = new CommitGroup(this.journal);
  }

  /** Runs a change of several writes. If it throws, all of them are undone. */
  runAtomically(change: () => void): void {
    const { mark } = this.record;
    this.sql.exec("SAVEPOINT change");
    try {
      change();
    } catch (error) {
      // Without a transaction SQLite has undone everything, and the error ends the whole group.
      if (this.sql.isTransaction) {
        this.sql.exec("ROLLBACK TO change; RELEASE change");
        this.record.truncateTo(mark);
        this.afterRollback();
        // Earlier schema changes of the open SQLite transaction are not committed either.
        this.catalog.isChanged = true;
      }
      throw error;
    }
    this.sql.exec("RELEASE change");
  }

  /** Starts an overlay: changes outside of any group that last only until `rollBackOverlay`. */
  beginOverlay(): void {
    this.sql.exec("SAVEPOINT overlay");
    this.hasOverlay = true;
  }

  rollBackOverlay(): void {
    this.hasOverlay = false;
    if (!this.sql.isTransaction) {
      this.journal.rollBack();
      return;
    }
    this.sql.exec("ROLLBACK TO overlay; RELEASE overlay");
    this.record.clear();
    this.afterRollback();
  }

  /** Lets SQLite commit if no writes arrive, so that the next start has less to replay. */
  commitWhenIdle(): void {
    if (!this.hasOverlay) this.group.commitWhenIdle();
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
