import type { DatabaseSync } from "node:sqlite";
import { ActiveWriters } from "./active-writers.ts";

export type Waiting = {
  committed(): void;
  failed(error: unknown): void;
};

/** How long a group may wait for more writers, when many are at work. */
const gatherMs = 1;

/**
 * Writes that arrive together share one commit, and only then is anybody answered. The first opens
 * the SQLite transaction. With few writers it is committed when every socket that was ready has
 * been read, so that a client alone waits for nothing but its own commit; with many, when half of
 * them wait or a millisecond has passed, because a commit costs more than anything in it.
 */
export class CommitGroup {
  private readonly sql: DatabaseSync;
  private readonly afterRollback: () => void;
  private readonly writers = new ActiveWriters();
  private waiting: Waiting[] = [];
  private committedGroups = 0;
  private open = false;
  private due: NodeJS.Immediate | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly commitNow = () => this.commit();

  constructor(sql: DatabaseSync, afterRollback: () => void) {
    this.sql = sql;
    this.afterRollback = afterRollback;
  }

  get isOpen(): boolean {
    return this.open;
  }

  get commits(): number {
    return this.committedGroups;
  }

  /** Must come before anything is written; `writer` tells connections apart. */
  join(writer?: number): void {
    if (writer !== undefined) this.writers.note(writer);
    if (this.open) return;
    this.sql.exec("BEGIN IMMEDIATE");
    this.open = true;
    if (this.writers.worthWaiting) this.timer = setTimeout(this.commitNow, gatherMs);
    else this.due = setImmediate(this.commitNow);
  }

  /** Answers after the commit; at once when nothing is being written. */
  whenCommitted(waiting: Waiting): void {
    if (!this.open) {
      waiting.committed();
      return;
    }
    this.waiting.push(waiting);
    if (this.due === undefined && this.waiting.length >= this.writers.half) {
      this.due = setImmediate(this.commitNow);
    }
  }

  commit(): void {
    if (!this.open) return;
    const waiting = this.close();
    try {
      this.sql.exec("COMMIT");
    } catch (error) {
      this.undo(waiting, error);
      return;
    }
    this.committedGroups++;
    for (const one of waiting) one.committed();
  }

  /** Undoes the whole group: nobody in it was told that anything was written. */
  abandon(error: unknown): void {
    if (this.open) this.undo(this.close(), error);
  }

  private close(): readonly Waiting[] {
    const { waiting } = this;
    clearTimeout(this.timer);
    clearImmediate(this.due);
    this.timer = undefined;
    this.due = undefined;
    this.waiting = [];
    this.open = false;
    return waiting;
  }

  private undo(waiting: readonly Waiting[], error: unknown): void {
    if (this.sql.isTransaction) this.sql.exec("ROLLBACK");
    this.afterRollback();
    for (const one of waiting) one.failed(error);
  }
}
