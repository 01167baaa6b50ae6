import { MongoError } from "../errors.ts";
import type { IndexField } from "../indexes/definition.ts";
import { numberOf } from "../bson/number-of.ts";
import { compareBson } from "../semantics/index.ts";
import type { Document } from "../document-codec.ts";
import type { Collection } from "../storage/collections/collection.ts";
import type { IndexTable } from "../storage/collections/index-table.ts";
import { candidateOf, candidatesOf } from "./index-candidate.ts";
import type { Candidate } from "./index-candidate.ts";
import { coversAllMatches } from "./partial-index.ts";
import type { IndexPlan, Plan, SortField, TablePlan } from "./plan.ts";
import type { Predicates } from "./predicates.ts";
import { countKeysUpTo, mostSelectiveOf } from "./key-counts.ts";

export type PlanRequest = {
  readonly predicates: Predicates;
  readonly sort: readonly SortField[] | undefined;
  readonly hint: unknown;
  readonly limited: boolean;
};

const comparedKeysMax = 101;
/** Reading and sorting up to this many keys is faster than searching in sort order. */
const cheapSortKeysMax = 1_000;

export function choosePlan(collection: Collection, request: PlanRequest): Plan {
  const { predicates, sort, hint } = request;
  if (hint !== undefined) {
    const hinted = hintedIndex(collection, hint);
    return hinted === undefined
      ? tablePlan(predicates, sort, hint)
      : candidateOf(hinted, predicates, sort).plan;
  }
  if (sort?.[0]?.path === "$natural") return tablePlan(predicates, sort, undefined);
  const best = bestCandidate(collection, request);
  if (best !== undefined && best.pointFields > 0) return best.plan;
  const union = unionPlan(collection, request);
  if (union !== undefined && best?.plan.sorted !== true) return union;
  return best?.plan ?? tablePlan(predicates, sort, undefined);
}

function tablePlan(
  predicates: Predicates,
  sort: readonly SortField[] | undefined,
  hint: unknown,
): TablePlan {
  const natural = sort?.[0]?.path === "$natural" ? sort[0].descending : undefined;
  const hinted = numberOf((hint as Document | undefined)?.["$natural"]);
  return {
    kind: "table",
    sorted: sort === undefined || natural !== undefined,
    descending: natural ?? (hinted !== undefined && hinted < 0),
    exact: predicates.isComplete && predicates.all.length === 0,
  };
}

/** The index named by a hint, or undefined for `{ $natural: ±1 }`. */
function hintedIndex(collection: Collection, hint: unknown): IndexTable | undefined {
  if (typeof hint === "object" && hint !== null && "$natural" in hint) return undefined;
  const found = collection.indexes.find(({ definition }) =>
    typeof hint === "string"
      ? definition.name === hint
      : compareBson(definition.specification["key"], hint) === 0,
  );
  if (found === undefined) {
    throw new MongoError(
      "BadValue",
      "error processing query: planner returned error: hint provided does not correspond to an existing index",
    );
  }
  return found;
}

function bestCandidate(collection: Collection, request: PlanRequest): Candidate | undefined {
  const { predicates, sort } = request;
  // Check this first, because it saves counting the keys of other indexes.
  const unique = uniqueKeyCandidate(collection, request);
  if (unique !== undefined) return unique;
  let best: Candidate | undefined;
  for (const index of collection.indexes) {
    if (!isRelevant(index, predicates, sort) || !coversAllMatches(index, predicates)) continue;
    const candidate = mostSelectiveOf(collection, candidatesOf(index, predicates, sort));
    const givesOrder = sort !== undefined && candidate.plan.sorted;
    if (!isSelective(candidate) && !givesOrder) continue;
    best = best === undefined ? candidate : chooseBetter(collection, best, candidate, request);
  }
  return best;
}

/** A complete key of a unique index matches at most one document, so no keys need to be counted. */
function uniqueKeyCandidate(
  collection: Collection,
  { predicates, sort }: PlanRequest,
): Candidate | undefined {
  for (const index of collection.indexes) {
    const { unique, fields } = index.definition;
    const isNamed = ({ path }: IndexField) => predicates.all.some((one) => one.path === path);
    if (!unique || !fields.every(isNamed) || !coversAllMatches(index, predicates)) continue;
    const candidate = mostSelectiveOf(collection, candidatesOf(index, predicates, sort));
    const { plan, pointFields } = candidate;
    if (pointFields === fields.length && plan.ranges.length < comparedKeysMax) return candidate;
  }
  return undefined;
}

/** Whether the plan reads less than the whole collection. Sparse and partial indexes always do. */
function isSelective({ plan, pointFields, rangeField }: Candidate): boolean {
  const { sparse, partialFilter } = plan.index.definition;
  return pointFields > 0 || rangeField || sparse || partialFilter !== undefined;
}

function isRelevant(
  index: IndexTable,
  predicates: Predicates,
  sort: readonly SortField[] | undefined,
): boolean {
  const first = index.definition.fields[0]?.path;
  if (index.definition.partialFilter !== undefined) return true;
  return sort?.[0]?.path === first || predicates.all.some((one) => one.path === first);
}

function chooseBetter(
  collection: Collection,
  a: Candidate,
  b: Candidate,
  { sort, limited }: PlanRequest,
): Candidate {
  const rankOf = (one: Candidate) =>
    one.pointFields * 10 +
    (one.rangeField ? 5 : 0) +
    (sort !== undefined && one.plan.sorted ? (limited ? 8 : 6) : 0);
  const difference = rankOf(a) - rankOf(b);
  if (Math.abs(difference) >= 5 && !(isSelective(a) && isSelective(b)))
    return difference > 0 ? a : b;
  if (difference !== 0 && (a.plan.sorted || b.plan.sorted)) {
    const [ahead, behind] = difference > 0 ? [a, b] : [b, a];
    return isCheaperThanSorted(collection, behind, ahead) ? behind : ahead;
  }
  const keysOfA = countKeysUpTo(collection, a.plan, comparedKeysMax);
  const keysOfB = countKeysUpTo(collection, b.plan, comparedKeysMax);
  if (keysOfA !== keysOfB) return keysOfA < keysOfB ? a : b;
  return difference >= 0 ? a : b;
}

/** A sorted plan may have to read its index to the end if only few documents match. */
function isCheaperThanSorted(collection: Collection, one: Candidate, sorted: Candidate): boolean {
  if ((sorted.plan.exact && !sorted.plan.requiredElements) || !isSelective(one)) return false;
  const keys = countKeysUpTo(collection, one.plan, cheapSortKeysMax);
  return keys < cheapSortKeysMax && keys < countKeysUpTo(collection, sorted.plan, cheapSortKeysMax);
}

/** A plan for an `$or` in which each alternative has an index. */
function unionPlan(collection: Collection, request: PlanRequest): Plan | undefined {
  for (const alternatives of request.predicates.alternatives) {
    const branches: IndexPlan[] = [];
    for (const predicates of alternatives) {
      const combined: Predicates = {
        all: [...predicates.all, ...request.predicates.all],
        alternatives: [],
        isComplete: false,
      };
      const best = bestCandidate(collection, {
        predicates: combined,
        sort: undefined,
        hint: undefined,
        limited: false,
      });
      if (best === undefined) break;
      branches.push(best.plan);
    }
    if (branches.length === alternatives.length) {
      return { kind: "union", branches, sorted: false, exact: false };
    }
  }
  return undefined;
}
