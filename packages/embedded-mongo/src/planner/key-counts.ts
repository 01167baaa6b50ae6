import type { Collection } from "../storage/collections/collection.ts";
import type { Candidate } from "./index-candidate.ts";
import type { IndexPlan } from "./plan.ts";

const countedRangesMax = 200;

/** Counts the keys that a plan would read, up to `most`. */
export function countKeysUpTo(collection: Collection, plan: IndexPlan, most: number): number {
  const text = `SELECT count(*) FROM (SELECT 1 FROM ${plan.index.table} WHERE k >= ? AND k < ? LIMIT ?)`;
  const statement = collection.statement(text);
  let keys = 0;
  for (const { low, high } of plan.ranges.slice(0, countedRangesMax)) {
    keys += (statement.get(low, high, most - keys) as unknown as [number])[0];
    if (keys >= most) return most;
  }
  return keys;
}

const firstCountMax = 128;
const lastCountMax = 8_192;

/** The candidate with the fewest keys, or the first if all have many. */
export function mostSelectiveOf(
  collection: Collection,
  candidates: readonly [Candidate, ...Candidate[]],
): Candidate {
  const [first, ...others] = candidates;
  if (others.length === 0) return first;
  for (let most = firstCountMax; most <= lastCountMax; most *= 8) {
    const keys = candidates.map(({ plan }) => countKeysUpTo(collection, plan, most));
    const fewest = Math.min(...keys);
    if (fewest < most) return candidates[keys.indexOf(fewest)] ?? first;
  }
  return first;
}
