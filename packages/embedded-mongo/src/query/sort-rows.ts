import { decodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { compileSortKeys } from "../semantics/index.ts";
import type { Row, RowStream } from "./stream.ts";

type Keyed = { readonly row: Row; readonly key: readonly unknown[]; readonly place: number };

/** Sorts in memory; with a limit it keeps no more than twice as many rows as are wanted. */
export function sortRows(stream: RowStream, sort: Document, limit: number): RowStream {
  const { keyOf, compareKeys } = compileSortKeys(sort);
  const compare = (a: Keyed, b: Keyed) => compareKeys(a.key, b.key) || a.place - b.place;
  let sorted: Keyed[] | undefined;
  let at = 0;
  let held = 0;
  const sortAll = (): Keyed[] => {
    let kept: Keyed[] = [];
    let bytes = 0;
    let place = 0;
    for (let row = stream.next(); row !== undefined; row = stream.next()) {
      kept.push({ row, key: keyOf(decodeDocument(row.document)), place: place++ });
      bytes += row.document.length;
      if (limit > 0 && kept.length >= limit * 2 + 64) {
        kept = kept.toSorted(compare).slice(0, limit);
        bytes = kept.reduce((sum, one) => sum + one.row.document.length, 0);
      }
      if (bytes > limits.sortBytesMax) throw tooMuch();
    }
    stream.pause();
    held = bytes;
    return kept.toSorted(compare);
  };
  return {
    next: () => {
      sorted ??= sortAll();
      return sorted[at++]?.row;
    },
    heldBytes: () => held,
    pause: () => undefined,
  };
}

function tooMuch(): MongoError {
  return new MongoError(
    "QueryExceededMemoryLimitNoDiskUseAllowed",
    `Sort exceeded memory limit of ${limits.sortBytesMax} bytes; add an index that gives the order, or a limit`,
  );
}
