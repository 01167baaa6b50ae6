import { rawValueOf } from "../document-codec.ts";
import { boundBytes, toDescending, comparisonRange } from "../planner/bounds.ts";
import type { Collection } from "../storage/collections/collection.ts";
import type { IndexTable } from "../storage/collections/index-table.ts";
import type { Store } from "../storage/store.ts";
import { LockedByTransaction } from "../transactions/transaction-errors.ts";

const batchMax = 500;

/** Deletes a batch of expired documents. Returns true if there may be more. */
export function deleteExpired(store: Store, now: number): boolean {
  let more = false;
  for (const collection of store.catalog.all()) {
    for (const index of collection.indexes) {
      if (index.definition.ttlSeconds === undefined) continue;
      if (deleteExpiredByIndex(store, collection, index, now) === batchMax) more = true;
    }
  }
  return more;
}

function deleteExpiredByIndex(
  store: Store,
  collection: Collection,
  index: IndexTable,
  now: number,
) {
  const { ttlSeconds = 0, fields } = index.definition;
  const expired = comparisonRange("$lte", rawValueOf(new Date(now - ttlSeconds * 1000)));
  const [range] = fields[0]!.descending ? toDescending([expired]) : [expired];
  const text = `SELECT DISTINCT rid FROM ${index.table} WHERE k >= ? AND k < ? LIMIT ${batchMax}`;
  const rows = collection.statement(text).all(boundBytes(range!.low), boundBytes(range!.high));
  if (rows.length > 0) store.group.join();
  let deleted = 0;
  for (const row of rows as unknown as [number][]) {
    const document = collection.read(row[0]);
    if (document === undefined) continue;
    try {
      collection.remove(row[0], document);
      deleted++;
    } catch (error) {
      // A transaction has locked the document. A later sweep deletes it.
      if (!(error instanceof LockedByTransaction)) throw error;
    }
  }
  return deleted;
}
