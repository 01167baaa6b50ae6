import type { Buffer } from "node:buffer";
import type { IndexTable } from "./index-table.ts";

type Entry = { readonly key: Buffer; readonly rid: number };

const bufferedBytesMax = 1024 * 1024;
/** Approximate memory of an entry beside its key. */
const entryBytes = 128;

/**
 * Buffers the index entries of many documents and writes them index by index. This is faster
 * because consecutive writes use the same pages and the same statement. Only for indexes that are
 * not unique, which refuse no entry. No read may run before `flush`.
 */
export class DeferredIndexEntries {
  private readonly lists = new Map<IndexTable, Entry[]>();
  private bytes = 0;

  add(index: IndexTable, key: Buffer, rid: number): void {
    const list = this.lists.get(index);
    if (list === undefined) this.lists.set(index, [{ key, rid }]);
    else list.push({ key, rid });
    this.bytes += key.length + entryBytes;
    if (this.bytes > bufferedBytesMax) this.flush();
  }

  flush(): void {
    for (const [index, entries] of this.lists) {
      for (const { key, rid } of entries) index.add(key, rid);
    }
    this.lists.clear();
    this.bytes = 0;
  }
}
