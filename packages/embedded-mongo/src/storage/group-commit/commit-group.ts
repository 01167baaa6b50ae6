import { ActiveWriters } from "./active-writers.ts";
import type { Journal } from "../journal/journal.ts";
import { WrittenCollections } from "./written-collections.ts";

export type CommitWaiter = {
  onDurable(): void;
  onFailed(error: unknown): void;
};

type GroupJournal = Pick<
  Journal,
  "endGroup" | "rollBack" | "restoreIfLost" | "startSync" | "syncNow" | "commitWhenIdle"
>;

/** The longest time that a group waits for more writers, when many connections write. */
const gatherMs = 2;

/**
 * Collects writes that arrive together into one group, and answers their clients when the group is
 * on disk.
 *
 * - With few writers a group ends when every socket that was ready has been read. A single client
 *   therefore waits only for its own commit.
 * - With many writers a group ends when enough of them wait, or after 2 ms, because a commit costs
 *   more than anything in it.
 * - A group does not end before the previous group is on disk, unless `commit` is called directly.
 * - A read waits like a write, unless nothing is being written in the collection that it read.
 */
export class CommitGroup {
  private readonly journal: GroupJournal;
  private readonly writers = new ActiveWriters();
  /** Clients of the open group. */
  private waiters: CommitWaiter[] = [];
  /** Clients of ended groups: those whose sync is under way, and those that need the next sync. */
  private syncing: CommitWaiter[] | undefined;
  private unsynced: CommitWaiter[] | undefined;
  private writtenOpen = new WrittenCollections();
  private writtenUnsynced = new WrittenCollections();
  private writtenSyncing = new WrittenCollections();
  private commitCount = 0;
  private isGroupOpen = false;
  private commitImmediate: NodeJS.Immediate | undefined;
  private commitTimer: NodeJS.Timeout | undefined;
  /** The group should have ended, but the previous group is not on disk yet. */
  private isOverdue = false;
  private readonly commitOrDefer = () => {
    this.commitImmediate = undefined;
    if (this.syncing === undefined) this.commit();
    else this.isOverdue = true;
  };

  constructor(journal: GroupJournal) {
    this.journal = journal;
  }

  get isOpen(): boolean {
    return this.isGroupOpen;
  }

  get commits(): number {
    return this.commitCount;
  }

  /**
   * Must be called before anything is written. `writer` identifies the connection; `namespace` is
   * the only collection that is written, or undefined if that is not known.
   */
  join(writer?: number, namespace?: string): void {
    if (writer !== undefined) this.writers.record(writer);
    if (!this.isGroupOpen) this.open();
    this.writtenOpen.add(namespace);
  }

  private open(): void {
    this.isGroupOpen = true;
    if (this.writers.hasMany) this.commitTimer = setTimeout(this.commitOrDefer, gatherMs);
    else this.commitImmediate = setImmediate(this.commitOrDefer);
  }

  /**
   * Calls `onDurable` when everything written so far is on disk. It is called at once if that is
   * so already, or if all pending writes are outside of `readNamespace`, the only collection read.
   */
  whenDurable(waiter: CommitWaiter, readNamespace?: string): void {
    if (readNamespace !== undefined && !this.isBeingWritten(readNamespace)) {
      waiter.onDurable();
      return;
    }
    if (!this.isGroupOpen) {
      const pending = this.unsynced ?? this.syncing;
      if (pending === undefined) waiter.onDurable();
      else pending.push(waiter);
      return;
    }
    this.waiters.push(waiter);
    if (this.isOverdue || this.commitImmediate !== undefined) return;
    if (this.waiters.length >= this.writers.enoughToCommit) {
      this.commitImmediate = setImmediate(this.commitOrDefer);
    }
  }

  private isBeingWritten(namespace: string): boolean {
    const { writtenOpen, writtenUnsynced, writtenSyncing } = this;
    return [writtenOpen, writtenUnsynced, writtenSyncing].some((one) => one.has(namespace));
  }

  /** Ends the group. Its clients are answered when it is on disk. */
  commit(): void {
    if (!this.isGroupOpen) return;
    const { writtenOpen } = this;
    const waiters = this.close();
    try {
      this.journal.endGroup();
    } catch (error) {
      this.rollBackGroup(waiters, error);
      return;
    }
    this.commitCount++;
    this.unsynced = [...(this.unsynced ?? []), ...waiters];
    this.writtenUnsynced.addAll(writtenOpen);
    if (this.syncing === undefined) this.sync(this.unsynced);
  }

  private sync(waiters: CommitWaiter[]): void {
    this.syncing = waiters;
    this.unsynced = undefined;
    this.writtenSyncing = this.writtenUnsynced;
    this.writtenUnsynced = new WrittenCollections();
    this.journal.startSync(() => {
      const synced = this.syncing ?? [];
      this.syncing = undefined;
      this.writtenSyncing = new WrittenCollections();
      if (this.unsynced !== undefined) this.sync(this.unsynced);
      else if (this.isOverdue) this.commitImmediate ??= setImmediate(this.commitOrDefer);
      for (const waiter of synced) waiter.onDurable();
    });
  }

  /** Ends the group, blocks until it is on disk and answers all clients. */
  finish(): void {
    this.commit();
    const pending = [...(this.syncing ?? []), ...(this.unsynced ?? [])];
    if (this.syncing === undefined) return;
    this.journal.syncNow();
    this.syncing = [];
    this.unsynced = undefined;
    this.writtenUnsynced = new WrittenCollections();
    for (const waiter of pending) waiter.onDurable();
  }

  /** Undoes the whole group. None of its clients has been answered yet. */
  rollBack(error: unknown): void {
    if (this.isGroupOpen) this.rollBackGroup(this.close(), error);
    else this.journal.restoreIfLost();
  }

  /** Lets SQLite commit if no group is open or being synced. */
  commitWhenIdle(): void {
    if (this.isGroupOpen || this.syncing !== undefined) return;
    if (this.journal.commitWhenIdle()) this.sync([]);
  }

  private close(): readonly CommitWaiter[] {
    const { waiters } = this;
    clearTimeout(this.commitTimer);
    clearImmediate(this.commitImmediate);
    this.commitTimer = undefined;
    this.commitImmediate = undefined;
    this.isOverdue = false;
    this.waiters = [];
    this.writtenOpen = new WrittenCollections();
    this.isGroupOpen = false;
    return waiters;
  }

  private rollBackGroup(waiters: readonly CommitWaiter[], error: unknown): void {
    this.journal.rollBack();
    for (const waiter of waiters) waiter.onFailed(error);
  }
}
