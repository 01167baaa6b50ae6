import type { Collection } from "../storage/collection.ts";
import { planQuery } from "./find-rows.ts";
import type { Query } from "./find-rows.ts";

/** How many documents match; counted in the index alone when that says it all. */
export function countRows(
  collection: Collection | undefined,
  query: Query,
  skip: number,
  limit: number,
): number {
  const wanted = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const planned = planQuery(collection, { ...query, limit: limit === 0 ? 0 : limit + skip });
  if (collection === undefined) return 0;
  const { plan, rows } = planned;
  if (plan?.exact === true) {
    let n = 0;
    if (plan.kind === "table") n = collection.count;
    else {
      const text = `SELECT count(*) FROM ${plan.index.table} WHERE k >= ? AND k < ?`;
      for (const { low, high } of plan.ranges) {
        n += (collection.rows(text).get(low, high) as unknown as [number])[0];
        query.deadline.check();
      }
    }
    return Math.min(wanted, Math.max(0, n - skip));
  }
  let n = 0;
  while (n < wanted + skip && rows.next() !== undefined) n++;
  rows.pause();
  return Math.max(0, n - skip);
}
