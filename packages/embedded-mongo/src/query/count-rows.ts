import type { Deadline } from "../deadline.ts";
import type { IndexPlan } from "../planner/plan.ts";
import type { Collection } from "../storage/collections/collection.ts";
import { entriesOf, planQuery } from "./find-rows.ts";
import type { Query } from "./find-rows.ts";

/** Counts the matching documents, from the index alone if the plan is exact. */
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
    const n =
      plan.kind === "table" ? collection.count : countKeys(collection, plan, wanted + skip, query);
    return Math.min(wanted, Math.max(0, n - skip));
  }
  let n = 0;
  while (n < wanted + skip && rows.next() !== undefined) n++;
  rows.pause();
  return Math.max(0, n - skip);
}

const countChunk = 1_024;

/** Counts the documents in the ranges of a plan, at least up to `enough`. */
function countKeys(
  collection: Collection,
  plan: IndexPlan,
  enough: number,
  { deadline }: Query,
): number {
  if (plan.mayRepeatDocuments || plan.requiredElements)
    return countDistinct(collection, plan, enough, deadline);
  const from = `FROM ${plan.index.table} WHERE (k, rid) >= (?, ?) AND k < ?`;
  const onwards = collection.statement(
    `SELECT k, rid ${from} ORDER BY k, rid LIMIT 1 OFFSET ${countChunk}`,
  );
  const rest = collection.statement(`SELECT count(*) ${from}`);
  let n = 0;
  for (const { low, high } of plan.ranges) {
    let start: [Uint8Array, number] | undefined = [low, 0];
    while (start !== undefined && n < enough) {
      deadline.check();
      const next = onwards.get(...start, high) as [Uint8Array, number] | undefined;
      n += next === undefined ? (rest.get(...start, high) as unknown as [number])[0] : countChunk;
      start = next;
    }
  }
  return n;
}

function countDistinct(
  collection: Collection,
  plan: IndexPlan,
  enough: number,
  deadline: Deadline,
): number {
  const entries = entriesOf(collection, plan, { expectedEntries: 0, withDocuments: false });
  const seen = new Set<number>();
  for (
    let entry = entries.next();
    entry !== undefined && seen.size < enough;
    entry = entries.next()
  ) {
    deadline.check();
    if (entry.hasRequiredElements) seen.add(entry.rid);
  }
  return seen.size;
}
