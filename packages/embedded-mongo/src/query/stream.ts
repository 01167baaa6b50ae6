import type { Buffer } from "node:buffer";
import { decodeDocument } from "../document-codec.ts";
import type { Document } from "../document-codec.ts";

export type Row = { readonly rid: number; readonly document: Buffer };

/** A lazy stream of rows. */
export type RowStream = {
  next(): Row | undefined;
  /** Bytes of documents held in memory; absent if the stream reads from the store. */
  heldBytes?(): number;
  /** Releases what is open in the store. The following `next` continues after the last row. */
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

/** Reads all rows before a write starts, so that the write does not see its own changes. */
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
