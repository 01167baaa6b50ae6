import { ActiveWriters } from "./active-writers.ts";
import type { Journal } from "./journal.ts";
import { Touched } from "./touched.ts";

export type Waiting = {
  committed(): void;
  failed(error: unknown): void;
};

type GroupJournal = Pick<
  Journal,
  "end" | "undo" | "undoIfLost" | "startSync" | "syncNow" | "commitWhenIdle"
>;

/** How long a group may wait for more writers, when many are at work. */
const gatherMs = 2;

/**
 * Writes that arrive together share one commit, and only when it is on disk is anybody answered.
 * With few writers it is committed when every socket that was ready has been read, so that a client
 * alone waits for nothing but its own commit; with more, when enough of them wait or two
 * milliseconds have passed, because a commit costs more than anything in it; and never before the
 * commit before it is on disk. Who has only read waits as well, unless it was where nothing is being
 * written.
 */
export class CommitGroup {
  private readonly journal: GroupJournal;
  private readonly writers = new ActiveWriters();
  private waiting: Waiting[] = [];
  /** Of what is committed: who waits for the sync under way, and who for the one after it. */
  private syncing: Waiting[] | undefined;
  private unsynced: Waiting[] | undefined;
  private touched = new Touched();
  private touchedUnsynced = new Touched();
  private touchedSyncing = new Touched();
  private committedGroups = 0;
  private open = false;
  private due: NodeJS.Immediate | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isOverdue = false;
  private readonly commitNow = () => {
    this.due = undefined;
    if (this.syncing === undefined) this.commit();
    else this.isOverdue = true;
  };

  constructor(journal: GroupJournal) {
    this.journal = journal;
  }

  get isOpen(): boolean {
    return this.open;
  }

  get commits(): number {
    return this.committedGroups;
  }

  /**
   * Must come before anything is written; `writer` tells connections apart, and `namespace` is the
   * only collection that is written in, where that is known.
   */
  join(writer?: number, namespace?: string): void {
    if (writer !== undefined) this.writers.note(writer);
    if (!this.open) this.begin();
    this.touched.add(namespace);
  }

  private begin(): void {
    this.open = true;
    if (this.writers.worthWaiting) this.timer = setTimeout(this.commitNow, gatherMs);
    else this.due = setImmediate(this.commitNow);
  }

  /**
   * Answers when all that was written so far is on disk; at once when it is already, or when all
   * that is not lies outside of the one collection that was read.
   */
  whenCommitted(waiting: Waiting, read?: string): void {
    if (read !== undefined && !this.isWriting(read)) {
      waiting.committed();
      return;
    }
    if (!this.open) {
      const covered = this.unsynced ?? this.syncing;
      if (covered === undefined) waiting.committed();
      else covered.push(waiting);
      return;
    }
    this.waiting.push(waiting);
    if (this.isOverdue || this.due !== undefined) return;
    if (this.waiting.length >= this.writers.enough) this.due = setImmediate(this.commitNow);
  }

  private isWriting(namespace: string): boolean {
    const { touched, touchedUnsynced, touchedSyncing } = this;
    return [touched, touchedUnsynced, touchedSyncing].some((one) => one.has(namespace));
  }

  /** Ends the group; it is answered when it is on disk. */
  commit(): void {
    if (!this.open) return;
    const { touched } = this;
    const waiting = this.close();
    try {
      this.journal.end();
    } catch (error) {
      this.undo(waiting, error);
      return;
    }
    this.committedGroups++;
    this.unsynced = [...(this.unsynced ?? []), ...waiting];
    this.touchedUnsynced.addAll(touched);
    if (this.syncing === undefined) this.sync(this.unsynced);
  }

  private sync(covered: Waiting[]): void {
    this.syncing = covered;
    this.unsynced = undefined;
    this.touchedSyncing = this.touchedUnsynced;
    this.touchedUnsynced = new Touched();
    this.journal.startSync(() => {
      const synced = this.syncing ?? [];
      this.syncing = undefined;
      this.touchedSyncing = new Touched();
      if (this.unsynced !== undefined) this.sync(this.unsynced);
      else if (this.isOverdue) this.due ??= setImmediate(this.commitNow);
      for (const one of synced) one.committed();
    });
  }

  /** Ends the group, waits for the disk and answers everybody. */
  finish(): void {
    this.commit();
    const covered = [...(this.syncing ?? []), ...(this.unsynced ?? [])];
    if (this.syncing === undefined) return;
    this.journal.syncNow();
    this.syncing = [];
    this.unsynced = undefined;
    this.touchedUnsynced = new Touched();
    for (const one of covered) one.committed();
  }

  /** Undoes the whole group: nobody in it was told that anything was written. */
  abandon(error: unknown): void {
    if (this.open) this.undo(this.close(), error);
    else this.journal.undoIfLost();
  }

  /** Lets SQLite commit if nobody writes. */
  settle(): void {
    if (this.open || this.syncing !== undefined) return;
    if (this.journal.commitWhenIdle()) this.sync([]);
  }

  private close(): readonly Waiting[] {
    const { waiting } = this;
    clearTimeout(this.timer);
    clearImmediate(this.due);
    this.timer = undefined;
    this.due = undefined;
    this.isOverdue = false;
    this.waiting = [];
    this.touched = new Touched();
    this.open = false;
    return waiting;
  }

  private undo(waiting: readonly Waiting[], error: unknown): void {
    this.journal.undo();
    for (const one of waiting) one.failed(error);
  }
}
