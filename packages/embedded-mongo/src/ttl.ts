import { rawValueOf } from "./bson/values.ts";
import { boundBytes, descend, rangeFrom } from "./planner/bounds.ts";
import type { Collection } from "./storage/collection.ts";
import type { IndexTable } from "./storage/index-table.ts";
import type { Store } from "./storage/store.ts";
import { LockedByTransaction } from "./transactions/transactions.ts";

const batch = 500;

/** Deletes a batch of documents past their time. True when there may be more. */
export function deleteExpired(store: Store, now: number): boolean {
  let more = false;
  for (const collection of store.catalog.all()) {
    for (const index of collection.indexes) {
      if (index.definition.ttlSeconds === undefined) continue;
      if (deleteOfIndex(store, collection, index, now) === batch) more = true;
    }
  }
  return more;
}

function deleteOfIndex(store: Store, collection: Collection, index: IndexTable, now: number) {
  const { ttlSeconds = 0, fields } = index.definition;
  const expired = rangeFrom("$lte", rawValueOf(new Date(now - ttlSeconds * 1000)));
  const [range] = fields[0]!.descending ? descend([expired]) : [expired];
  const text = `SELECT DISTINCT rid FROM ${index.table} WHERE k >= ? AND k < ? LIMIT ${batch}`;
  const rows = collection.rows(text).all(boundBytes(range!.low), boundBytes(range!.high));
  if (rows.length > 0) store.group.join();
  let deleted = 0;
  for (const row of rows as unknown as [number][]) {
    const document = collection.read(row[0]);
    if (document === undefined) continue;
    try {
      collection.remove(row[0], document);
      deleted++;
    } catch (error) {
      // The transaction that holds it ends before the next sweep.
      if (!(error instanceof LockedByTransaction)) throw error;
    }
  }
  return deleted;
}
