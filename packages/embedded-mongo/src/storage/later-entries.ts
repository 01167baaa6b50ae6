import type { Buffer } from "node:buffer";
import type { IndexTable } from "./index-table.ts";

type Entry = { readonly key: Buffer; readonly rid: number };

const keptBytesMax = 1024 * 1024;
/** What an entry takes beside its key, about. */
const entryBytes = 128;

/**
 * Index entries of many documents, added index by index: while one is at work its pages and its
 * statement are at hand. Only for indexes that are not unique, which refuse none. Nobody may read
 * before all are added.
 */
export class LaterEntries {
  private readonly lists = new Map<IndexTable, Entry[]>();
  private bytes = 0;

  keep(index: IndexTable, key: Buffer, rid: number): void {
    const list = this.lists.get(index);
    if (list === undefined) this.lists.set(index, [{ key, rid }]);
    else list.push({ key, rid });
    this.bytes += key.length + entryBytes;
    if (this.bytes > keptBytesMax) this.addAll();
  }

  addAll(): void {
    for (const [index, entries] of this.lists) {
      for (const { key, rid } of entries) index.add(key, rid);
    }
    this.lists.clear();
    this.bytes = 0;
  }
}
