import type { DatabaseSync } from "node:sqlite";

export type Waiting = {
  committed(): void;
  failed(error: unknown): void;
};

/**
 * Writes that arrive together share one commit. The first write of a turn of the event loop opens
 * the SQLite transaction; when every socket that was ready has been read, it is committed, and only
 * then is anybody answered. A single client alone waits for nothing but its own commit.
 */
export class CommitGroup {
  private readonly sql: DatabaseSync;
  private readonly afterRollback: () => void;
  private waiting: Waiting[] = [];
  private open = false;

  constructor(sql: DatabaseSync, afterRollback: () => void) {
    this.sql = sql;
    this.afterRollback = afterRollback;
  }

  get isOpen(): boolean {
    return this.open;
  }

  /** Must come before anything is written. */
  join(): void {
    if (this.open) return;
    this.sql.exec("BEGIN IMMEDIATE");
    this.open = true;
    setImmediate(() => this.commit());
  }

  /** Answers after the commit; at once when nothing is being written. */
  whenCommitted(waiting: Waiting): void {
    if (this.open) this.waiting.push(waiting);
    else waiting.committed();
  }

  commit(): void {
    if (!this.open) return;
    const { waiting } = this;
    try {
      this.sql.exec("COMMIT");
    } catch (error) {
      this.abandon(error);
      return;
    }
    this.open = false;
    this.waiting = [];
    for (const one of waiting) one.committed();
  }

  /** Undoes the whole group: nobody in it was told that anything was written. */
  abandon(error: unknown): void {
    if (!this.open) return;
    const { waiting } = this;
    this.open = false;
    this.waiting = [];
    if (this.sql.isTransaction) this.sql.exec("ROLLBACK");
    this.afterRollback();
    for (const one of waiting) one.failed(error);
  }
}
