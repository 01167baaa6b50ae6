import { asBuffer } from "../bson/raw-document.ts";
import type { Deadline } from "../commands/deadline.ts";
import type { Collection } from "../storage/collection.ts";
import type { IndexPlan, KeyRange, OtherElements } from "../planner/plan.ts";
import type { Row, RowStream } from "./stream.ts";

export type ScanCounts = { keys: number; documents: number };

type IndexEntry = {
  readonly key: Buffer;
  readonly rid: number;
  /** Whether the document has the other elements that the plan asks for. */
  readonly isWhole: boolean;
  /** Read along with the entry, unless it is large or was not asked for. */
  readonly document?: Buffer | undefined;
};

export type EntryStream = { next(): IndexEntry | undefined; pause(): void };

const firstChunk = 24;
const lastChunk = 512;

/** A larger document is read when it is its turn, so that a chunk stays small. */
const readAlongBytesMax = 16 * 1024;

export type Reading = {
  /** How many entries are wanted, when that is known: 0 when it is not. */
  readonly wanted: number;
  readonly withDocuments: boolean;
};

/** The entries of one stretch of an index, read in chunks, so that nothing stays open between. */
export function scanRange(
  collection: Collection,
  plan: IndexPlan,
  range: KeyRange,
  { wanted, withDocuments }: Reading,
): EntryStream {
  const { first, more } = scanTexts(collection, plan, withDocuments);
  const others = plan.others?.prefixes ?? [];
  const kept = plan.descending ? range.low : range.high;
  let chunk: unknown[] = [];
  let at = 0;
  let size = wanted > 0 ? Math.min(wanted, lastChunk) : firstChunk;
  let last: IndexEntry | undefined;
  let ended = false;
  const fill = () => {
    const rows =
      last === undefined
        ? collection.rows(first).all(...others, range.low, range.high, size)
        : collection.rows(more).all(...others, kept, last.key, last.rid, size);
    ended = rows.length < size;
    chunk = rows;
    at = 0;
    size = Math.min(size * 2, lastChunk);
  };
  return {
    next: () => {
      if (at === chunk.length) {
        if (ended) return undefined;
        fill();
        if (chunk.length === 0) return undefined;
      }
      const [key, rid, document, isWhole] = chunk[at++] as EntryRow;
      last = {
        key: asBuffer(key),
        rid,
        document: document ? asBuffer(document) : undefined,
        isWhole: isWhole === 1,
      };
      return last;
    },
    pause: () => {
      // What was read ahead may be out of date when this goes on.
      if (at < chunk.length) ended = false;
      chunk = [];
      at = 0;
    },
  };
}

type EntryRow = readonly [Uint8Array, number, Uint8Array | null, 0 | 1];

function scanTexts(
  collection: Collection,
  { index: { table }, descending, others }: IndexPlan,
  withDocuments: boolean,
): { readonly first: string; readonly more: string } {
  // Of many entries that others make useless no document is wanted.
  const select =
    withDocuments && !others
      ? `SELECT k, rid, iif(length(doc) <= ${readAlongBytesMax}, doc, NULL), 1
       FROM ${table} CROSS JOIN ${collection.table} USING (rid)`
      : `SELECT k, rid, NULL, ${hasOthers(table, others)} FROM ${table} AS entry`;
  const way = descending ? "DESC" : "ASC";
  const order = `ORDER BY k ${way}, rid ${way} LIMIT ?`;
  return {
    first: `${select} WHERE k >= ? AND k < ? ${order}`,
    more: descending
      ? `${select} WHERE k >= ? AND (k, rid) < (?, ?) ${order}`
      : `${select} WHERE k < ? AND (k, rid) > (?, ?) ${order}`,
  };
}

/** The others' prefixes are its parameters. */
function hasOthers(table: string, others: OtherElements | undefined): string {
  if (!others) return "1";
  const { prefixes, prefixBytes } = others;
  const key = `CAST(? || substr(entry.k, ${prefixBytes + 1}) AS BLOB)`;
  const one = `EXISTS (SELECT 1 FROM ${table} WHERE k = ${key} AND rid = entry.rid)`;
  return prefixes.map(() => one).join(" AND ");
}

const firstRows = 16;
const chunkBytes = 1024 * 1024;

/** All documents in the order they came, or backwards. */
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
  let size = firstRows;
  return {
    next: () => {
      deadline.check();
      if (at === chunk.length) {
        chunk = collection.rows(text).all(last, size);
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

/** One stretch after the other. */
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

/** Several stretches side by side, in the order of what follows their fixed fields. */
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

/** Fetches the documents of index entries, each document once. */
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
        if (!entry.isWhole) continue;
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

/** The documents that have given keys of a unique index. */
export function pointRows(
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
