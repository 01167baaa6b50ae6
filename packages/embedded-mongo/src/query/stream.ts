import type { Buffer } from "node:buffer";
import { decodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";

export type Row = { readonly rid: number; readonly document: Buffer };

/** Rows that are read as they are asked for. */
export type RowStream = {
  next(): Row | undefined;
  /** What it keeps in memory; nothing when it reads from the store. */
  heldBytes?(): number;
  /** Lets go of the store between batches; the next `next` goes on after the last row. */
  pause(): void;
};

export const emptyStream: RowStream = { next: () => undefined, pause: () => undefined };

export function mapRows(stream: RowStream, change: (row: Row) => Buffer) {
  return {
    next: () => {
      const row = stream.next();
      return row === undefined ? undefined : change(row);
    },
    heldBytes: () => stream.heldBytes?.() ?? 0,
    pause: () => stream.pause(),
  };
}

export function skipAndLimit(stream: RowStream, skip: number, limit: number): RowStream {
  let toSkip = skip;
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  return {
    next: () => {
      while (toSkip > 0) {
        if (stream.next() === undefined) return undefined;
        toSkip--;
      }
      if (left === 0) return undefined;
      left--;
      return stream.next();
    },
    heldBytes: () => stream.heldBytes?.() ?? 0,
    pause: () => stream.pause(),
  };
}

/** All rows at once, for writes, which must not meet what they wrote themselves. */
export function allRows(stream: RowStream): Row[] {
  const rows: Row[] = [];
  for (let row = stream.next(); row !== undefined; row = stream.next()) rows.push(row);
  stream.pause();
  return rows;
}

export function* decodedRows(stream: RowStream): Generator<Document> {
  for (let row = stream.next(); row !== undefined; row = stream.next()) {
    yield decodeDocument(row.document);
  }
  stream.pause();
}
