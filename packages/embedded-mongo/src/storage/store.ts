import type { DatabaseSync } from "node:sqlite";
import { Catalog } from "./catalog.ts";
import { CommitGroup } from "./commit-group.ts";
import { LogSync } from "./log-sync.ts";
import { SessionRecords } from "./session-records.ts";
import { openSqlite } from "./sqlite.ts";

/** Everything that is on disk. */
export class Store {
  readonly sql: DatabaseSync;
  readonly catalog: Catalog;
  readonly group: CommitGroup;
  readonly sessions: SessionRecords;
  private readonly logSync: LogSync;

  /** Hears that writes were undone that had been made already. */
  whenAbandoned: () => void = () => undefined;

  constructor(directory: string) {
    this.sql = openSqlite(directory);
    this.catalog = new Catalog(this.sql);
    this.sessions = new SessionRecords(this.sql);
    this.logSync = new LogSync(directory);
    this.group = new CommitGroup(this.sql, this.logSync, () => {
      this.catalog.changed = true;
      this.afterRollback();
      this.whenAbandoned();
    });
  }

  /** Runs a change of many parts; if it throws, none of it stays. */
  undoable(change: () => void): void {
    this.sql.exec("SAVEPOINT undoable");
    try {
      change();
    } catch (error) {
      this.sql.exec("ROLLBACK TO undoable");
      this.afterRollback();
      // What the transaction around it changed before is not committed yet either.
      this.catalog.changed = true;
      throw error;
    } finally {
      this.sql.exec("RELEASE undoable");
    }
  }

  afterRollback(): void {
    this.catalog.afterRollback();
    this.sessions.afterRollback();
  }

  close(): void {
    this.group.finish();
    this.sql.close();
    this.logSync.close();
  }
}
