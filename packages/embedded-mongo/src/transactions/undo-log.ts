import { limits } from "../limits.ts";
import { documentKey } from "./transaction.ts";
import type { DocumentChange } from "./transaction.ts";

/**
 * The previous versions of documents that were written while a transaction is open. Each open
 * transaction uses them to see the store as it was at its start.
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
    // A full log cannot restore a snapshot any more, so it keeps no further entries.
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

  /** The documents changed since `position`, in their versions at that position. */
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
