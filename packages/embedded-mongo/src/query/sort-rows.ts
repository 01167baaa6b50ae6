import { decodeDocument } from "../document-codec.ts";
import type { Document } from "../document-codec.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { compileSortKeys } from "../semantics/index.ts";
import type { Row, RowStream } from "./stream.ts";

type Keyed = { readonly row: Row; readonly key: readonly unknown[]; readonly position: number };

/** Sorts in memory. With a limit it holds at most twice as many rows, plus 64. */
export function sortRows(stream: RowStream, sort: Document, limit: number): RowStream {
  const { keyOf, compareKeys } = compileSortKeys(sort);
  const compare = (a: Keyed, b: Keyed) => compareKeys(a.key, b.key) || a.position - b.position;
  let sorted: Keyed[] | undefined;
  let at = 0;
  let sortedBytes = 0;
  const sortAll = (): Keyed[] => {
    let kept: Keyed[] = [];
    let bytes = 0;
    let position = 0;
    for (let row = stream.next(); row !== undefined; row = stream.next()) {
      kept.push({ row, key: keyOf(decodeDocument(row.document)), position: position++ });
      bytes += row.document.length;
      if (limit > 0 && kept.length >= limit * 2 + 64) {
        kept = kept.toSorted(compare).slice(0, limit);
        bytes = kept.reduce((sum, one) => sum + one.row.document.length, 0);
      }
      if (bytes > limits.sortBytesMax) throw memoryLimitExceeded();
    }
    stream.pause();
    sortedBytes = bytes;
    return kept.toSorted(compare);
  };
  return {
    next: () => {
      sorted ??= sortAll();
      return sorted[at++]?.row;
    },
    heldBytes: () => sortedBytes,
    pause: () => undefined,
  };
}

function memoryLimitExceeded(): MongoError {
  return new MongoError(
    "QueryExceededMemoryLimitNoDiskUseAllowed",
    `Sort exceeded memory limit of ${limits.sortBytesMax} bytes; add an index that gives the order, or a limit`,
  );
}
