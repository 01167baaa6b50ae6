import { asBuffer } from "../bson/raw-document.ts";
import type { Deadline } from "../deadline.ts";
import type { Collection } from "../storage/collections/collection.ts";
import type { IndexPlan, KeyRange, RequiredElements } from "../planner/plan.ts";
import type { Row, RowStream } from "./stream.ts";

export type ScanCounts = { keys: number; documents: number };

type IndexEntry = {
  readonly key: Buffer;
  readonly rid: number;
  /** Whether the document has all elements of `plan.requiredElements`. */
  readonly hasRequiredElements: boolean;
  /** The document, if it was requested and is not large. */
  readonly document?: Buffer | undefined;
};

export type EntryStream = { next(): IndexEntry | undefined; pause(): void };

const firstChunkEntries = 24;
const chunkEntriesMax = 512;

/** A larger document is read later, one at a time, so that a chunk stays small. */
const inlineDocumentBytesMax = 16 * 1024;

export type ScanOptions = {
  /** The number of entries the caller will read; 0 if not known. */
  readonly expectedEntries: number;
  readonly withDocuments: boolean;
};

/** Reads one range of an index in chunks, so that no statement stays open between two reads. */
export function scanRange(
  collection: Collection,
  plan: IndexPlan,
  range: KeyRange,
  { expectedEntries, withDocuments }: ScanOptions,
): EntryStream {
  const { first, more } = scanSql(collection, plan, withDocuments);
  const elementPrefixes = plan.requiredElements?.prefixes ?? [];
  const farBound = plan.descending ? range.low : range.high;
  let chunk: unknown[] = [];
  let at = 0;
  let size = expectedEntries > 0 ? Math.min(expectedEntries, chunkEntriesMax) : firstChunkEntries;
  let last: IndexEntry | undefined;
  let ended = false;
  const fill = () => {
    const rows =
      last === undefined
        ? collection.statement(first).all(...elementPrefixes, range.low, range.high, size)
        : collection.statement(more).all(...elementPrefixes, farBound, last.key, last.rid, size);
    ended = rows.length < size;
    chunk = rows;
    at = 0;
    size = Math.min(size * 2, chunkEntriesMax);
  };
  return {
    next: () => {
      if (at === chunk.length) {
        if (ended) return undefined;
        fill();
        if (chunk.length === 0) return undefined;
      }
      const [key, rid, document, hasElements] = chunk[at++] as EntryRow;
      last = {
        key: asBuffer(key),
        rid,
        document: document ? asBuffer(document) : undefined,
        hasRequiredElements: hasElements === 1,
      };
      return last;
    },
    pause: () => {
      // The entries that were read ahead may be out of date after the pause.
      if (at < chunk.length) ended = false;
      chunk = [];
      at = 0;
    },
  };
}

type EntryRow = readonly [Uint8Array, number, Uint8Array | null, 0 | 1];

function scanSql(
  collection: Collection,
  { index: { table }, descending, requiredElements }: IndexPlan,
  withDocuments: boolean,
): { readonly first: string; readonly more: string } {
  // Entries without the required elements are dropped, so their documents must not be read.
  const select =
    withDocuments && !requiredElements
      ? `SELECT k, rid, iif(length(doc) <= ${inlineDocumentBytesMax}, doc, NULL), 1
       FROM ${table} CROSS JOIN ${collection.table} USING (rid)`
      : `SELECT k, rid, NULL, ${requiredElementsSql(table, requiredElements)} FROM ${table} AS entry`;
  const direction = descending ? "DESC" : "ASC";
  const order = `ORDER BY k ${direction}, rid ${direction} LIMIT ?`;
  return {
    first: `${select} WHERE k >= ? AND k < ? ${order}`,
    more: descending
      ? `${select} WHERE k >= ? AND (k, rid) < (?, ?) ${order}`
      : `${select} WHERE k < ? AND (k, rid) > (?, ?) ${order}`,
  };
}

/** Tests that the document has a key for each required element. The prefixes are its parameters. */
function requiredElementsSql(table: string, required: RequiredElements | undefined): string {
  if (!required) return "1";
  const { prefixes, prefixBytes } = required;
  const key = `CAST(? || substr(entry.k, ${prefixBytes + 1}) AS BLOB)`;
  const one = `EXISTS (SELECT 1 FROM ${table} WHERE k = ${key} AND rid = entry.rid)`;
  return prefixes.map(() => one).join(" AND ");
}

const firstChunkRows = 16;
const chunkBytes = 1024 * 1024;

/** Reads all documents in insertion order, or in reverse. */
export function scanTable(
  collection: Collection,
  descending: boolean,
  counts: ScanCounts,
  deadline: Deadline,
): RowStream {
  const text = descending
    ? `SELECT rid, doc FROM ${collection.table} WHERE rid < ? ORDER BY rid DESC LIMIT ?`
    : `SELECT rid, doc FROM ${collection.table} WHERE rid > ? ORDER BY rid LIMIT ?`;
  let last = descending ? Number.MAX_SAFE_INTEGER : 0;
  let chunk: unknown[] = [];
  let at = 0;
  let size = firstChunkRows;
  return {
    next: () => {
      deadline.check();
      if (at === chunk.length) {
        chunk = collection.statement(text).all(last, size);
        at = 0;
        if (chunk.length === 0) return undefined;
        const bytes = (chunk as [number, Uint8Array][]).reduce(
          (sum, row) => sum + row[1].length,
          0,
        );
        size = Math.max(1, Math.min(1_000, Math.floor((chunkBytes * chunk.length) / bytes)));
      }
      const [rid, document] = chunk[at++] as [number, Uint8Array];
      last = rid;
      counts.documents++;
      return { rid, document: asBuffer(document) };
    },
    pause: () => {
      chunk = [];
      at = 0;
    },
  };
}

/** Reads the streams one after the other. */
export function concatenate(streams: readonly EntryStream[]): EntryStream {
  if (streams.length === 1) return streams[0]!;
  let current = 0;
  return {
    next: () => {
      for (; current < streams.length; current++) {
        const entry = streams[current]!.next();
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
    pause: () => streams[current]?.pause(),
  };
}

/** Merges the streams of several ranges by the key bytes that follow their fixed prefix. */
export function merge(
  streams: readonly EntryStream[],
  ranges: readonly KeyRange[],
  descending: boolean,
): EntryStream {
  const heads: (IndexEntry | undefined)[] = streams.map(() => undefined);
  const started = streams.map(() => false);
  const before = (a: number, b: number): boolean => {
    const left = heads[a]!.key;
    const right = heads[b]!.key;
    const from = ranges[a]!.prefixBytes;
    const order = left.compare(right, ranges[b]!.prefixBytes, right.length, from, left.length);
    return descending ? order > 0 : order < 0;
  };
  return {
    next: () => {
      let best = -1;
      for (const [i, stream] of streams.entries()) {
        if (!started[i]) {
          heads[i] = stream.next();
          started[i] = true;
        }
        if (heads[i] !== undefined && (best < 0 || before(i, best))) best = i;
      }
      if (best < 0) return undefined;
      started[best] = false;
      return heads[best];
    },
    pause: () => {
      for (const stream of streams) stream.pause();
    },
  };
}

/** Fetches the documents of index entries. With `distinct` each document is returned once. */
export function fetchRows(
  collection: Collection,
  entries: EntryStream,
  distinct: boolean,
  counts: ScanCounts,
  deadline: Deadline,
): RowStream {
  const seen = distinct ? new Set<number>() : undefined;
  return {
    next: () => {
      for (;;) {
        deadline.check();
        const entry = entries.next();
        if (entry === undefined) return undefined;
        counts.keys++;
        if (!entry.hasRequiredElements) continue;
        if (seen !== undefined) {
          if (seen.has(entry.rid)) continue;
          seen.add(entry.rid);
        }
        const document = entry.document ?? collection.read(entry.rid);
        if (document === undefined) continue;
        counts.documents++;
        return { rid: entry.rid, document } satisfies Row;
      }
    },
    pause: () => entries.pause(),
  };
}

/** Reads the documents of single keys of a unique index. */
export function lookUpUniqueKeys(
  collection: Collection,
  { index, ranges, descending }: IndexPlan,
  counts: ScanCounts,
  deadline: Deadline,
): RowStream {
  const readByKey = collection.readerByKey(index.table);
  let read = 0;
  return {
    next: () => {
      while (read < ranges.length) {
        deadline.check();
        read++;
        const range = ranges[descending ? ranges.length - read : read - 1]!;
        const row = readByKey(range.low);
        if (row === undefined) continue;
        counts.keys++;
        counts.documents++;
        return row;
      }
      return undefined;
    },
    pause: () => undefined,
  };
}
