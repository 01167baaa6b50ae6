import { asBuffer } from "../bson/raw-document.ts";
import { decodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import type { Deadline } from "../commands/command.ts";
import { compileFilter, compileSort } from "../semantics.ts";
import type { Collection } from "../storage/collection.ts";
import { allRows, emptyStream } from "./stream.ts";
import type { Row, RowStream } from "./stream.ts";

export type Query = {
  readonly filter: Buffer | undefined;
  readonly sort: Document | undefined;
  readonly hint: unknown;
  /** How many rows are wanted, when that is known: 0 for all. */
  readonly limit: number;
  readonly variables: Document | undefined;
  readonly deadline: Deadline;
};

export function findRows(collection: Collection | undefined, query: Query): RowStream {
  const matcher = compileFilter(query.filter === undefined ? {} : decodeDocument(query.filter));
  if (collection === undefined) return emptyStream;
  let after = 0;
  const chunk = 256;
  let rows: Row[] = [];
  let at = 0;
  const stream: RowStream = {
    next: () => {
      for (;;) {
        query.deadline.check();
        if (at === rows.length) {
          rows = collection
            .rows(
              `SELECT rid, doc FROM ${collection.table} WHERE rid > ? ORDER BY rid LIMIT ${chunk}`,
            )
            .all(after)
            .map((row) => {
              const [rid, doc] = row as unknown as [number, Uint8Array];
              return { rid, document: asBuffer(doc) };
            });
          at = 0;
          if (rows.length === 0) return undefined;
        }
        const row = rows[at++]!;
        after = row.rid;
        if (matcher.matches(decodeDocument(row.document))) return row;
      }
    },
    pause: () => undefined,
  };
  if (query.sort === undefined) return stream;
  const compare = compileSort(query.sort);
  const sorted = allRows(stream)
    .map((row) => ({ row, document: decodeDocument(row.document) }))
    .toSorted((a, b) => compare(a.document, b.document));
  let next = 0;
  return { next: () => sorted[next++]?.row, pause: () => undefined };
}
