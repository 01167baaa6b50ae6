import type { Collection } from "../storage/collection.ts";
import type { Candidate } from "./index-candidate.ts";
import type { IndexPlan } from "./plan.ts";

const probedRangesMax = 200;

/** How many keys a plan would read, counted up to `most`. */
export function probe(collection: Collection, plan: IndexPlan, most: number): number {
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${plan.index.table} WHERE k >= ? AND k < ? LIMIT ?)`;
  const statement = collection.rows(text);
  let keys = 0;
  for (const { low, high } of plan.ranges.slice(0, probedRangesMax)) {
    keys += (statement.get(low, high, most - keys) as unknown as [number])[0];
    if (keys >= most) return most;
  }
  return keys;
}

const firstLook = 128;
const lastLook = 8_192;

/** The candidate with the fewest keys; the first when all have many. */
export function rarestOf(
  collection: Collection,
  candidates: readonly [Candidate, ...Candidate[]],
): Candidate {
  const [first, ...others] = candidates;
  if (others.length === 0) return first;
  for (let most = firstLook; most <= lastLook; most *= 8) {
    const keys = candidates.map(({ plan }) => probe(collection, plan, most));
    const fewest = Math.min(...keys);
    if (fewest < most) return candidates[keys.indexOf(fewest)] ?? first;
  }
  return first;
}
