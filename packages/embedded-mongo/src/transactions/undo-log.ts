import { limits } from "../limits.ts";
import { documentKey } from "./transaction.ts";
import type { DocumentChange } from "./transaction.ts";

/**
 * What was written outside of transactions while any is open, with what was there before, so that
 * each can be shown the store as it was when it began.
 */
export class UndoLog {
  private entries: DocumentChange[] = [];
  private readonly lastChange = new Map<string, number>();
  private first = 0;
  private bytes = 0;

  get position(): number {
    return this.first + this.entries.length;
  }

  append({ db, name, rid, before }: DocumentChange): void {
    // Past its bound no snapshot can be shown any more, so nothing more is kept.
    if (this.isFull) return;
    this.lastChange.set(documentKey(db, name, rid), this.position);
    this.entries.push({ db, name, rid, before, after: undefined });
    this.bytes += (before?.length ?? 0) + 64;
  }

  truncate(position: number): void {
    this.entries.length = Math.max(0, position - this.first);
  }

  get isFull(): boolean {
    return this.bytes > limits.snapshotBytesMax;
  }

  clear(): void {
    this.first = this.position;
    this.entries = [];
    this.lastChange.clear();
    this.bytes = 0;
  }

  /** Each document changed since `position`, as it was then. */
  since(position: number): ReadonlyMap<string, DocumentChange> {
    const changed = new Map<string, DocumentChange>();
    for (let i = Math.max(0, position - this.first); i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      const key = documentKey(entry.db, entry.name, entry.rid);
      if (!changed.has(key)) changed.set(key, entry);
    }
    return changed;
  }

  changedSince(position: number, key: string): boolean {
    const last = this.lastChange.get(key);
    return last !== undefined && last >= position;
  }
}
