import { MongoError } from "../errors.ts";
import type { IndexField } from "../indexes/definition.ts";
import { numberOf } from "../indexes/specification.ts";
import { compareBson } from "../semantics/index.ts";
import type { Document } from "../bson/values.ts";
import type { Collection } from "../storage/collection.ts";
import type { IndexTable } from "../storage/index-table.ts";
import { candidateOf, candidatesOf } from "./index-candidate.ts";
import type { Candidate } from "./index-candidate.ts";
import { holdsAllMatches } from "./partial-index.ts";
import type { IndexPlan, Plan, SortField, TablePlan } from "./plan.ts";
import type { Predicates } from "./predicates.ts";
import { probe, rarestOf } from "./probe.ts";

export type Wanted = {
  readonly predicates: Predicates;
  readonly sort: readonly SortField[] | undefined;
  readonly hint: unknown;
  readonly limited: boolean;
};

const probeMax = 101;
/** So few keys are read and sorted sooner than found in the order of the sort. */
const fewKeys = 1_000;

export function choosePlan(collection: Collection, wanted: Wanted): Plan {
  const { predicates, sort, hint } = wanted;
  if (hint !== undefined) {
    const hinted = hintedIndex(collection, hint);
    return hinted === undefined
      ? tablePlan(predicates, sort, hint)
      : candidateOf(hinted, predicates, sort).plan;
  }
  if (sort?.[0]?.path === "$natural") return tablePlan(predicates, sort, undefined);
  const best = bestCandidate(collection, wanted);
  if (best !== undefined && best.pointFields > 0) return best.plan;
  const union = unionPlan(collection, wanted);
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
    exact: predicates.complete && predicates.all.length === 0,
  };
}

/** The index a hint names, or undefined for `{ $natural: ±1 }`. */
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

function bestCandidate(collection: Collection, wanted: Wanted): Candidate | undefined {
  const { predicates, sort } = wanted;
  // Before the keys of any other index are counted.
  const few = candidateOfFew(collection, wanted);
  if (few !== undefined) return few;
  let best: Candidate | undefined;
  for (const index of collection.indexes) {
    if (!mayHelp(index, predicates, sort) || !holdsAllMatches(index, predicates)) continue;
    const candidate = rarestOf(collection, candidatesOf(index, predicates, sort));
    const givesOrder = sort !== undefined && candidate.plan.sorted;
    if (!narrows(candidate) && !givesOrder) continue;
    best = best === undefined ? candidate : better(collection, best, candidate, wanted);
  }
  return best;
}

/** A whole key of a unique index is one document at most, so nothing needs to be probed. */
function candidateOfFew(
  collection: Collection,
  { predicates, sort }: Wanted,
): Candidate | undefined {
  for (const index of collection.indexes) {
    const { unique, fields } = index.definition;
    const isNamed = ({ path }: IndexField) => predicates.all.some((one) => one.path === path);
    if (!unique || !fields.every(isNamed) || !holdsAllMatches(index, predicates)) continue;
    const candidate = rarestOf(collection, candidatesOf(index, predicates, sort));
    const { plan, pointFields } = candidate;
    if (pointFields === fields.length && plan.ranges.length < probeMax) return candidate;
  }
  return undefined;
}

/** A sparse or partial index leaves out documents even when all of it is read. */
function narrows({ plan, pointFields, rangeField }: Candidate): boolean {
  const { sparse, partialFilter } = plan.index.definition;
  return pointFields > 0 || rangeField || sparse || partialFilter !== undefined;
}

function mayHelp(
  index: IndexTable,
  predicates: Predicates,
  sort: readonly SortField[] | undefined,
): boolean {
  const first = index.definition.fields[0]?.path;
  if (index.definition.partialFilter !== undefined) return true;
  return sort?.[0]?.path === first || predicates.all.some((one) => one.path === first);
}

function better(
  collection: Collection,
  a: Candidate,
  b: Candidate,
  { sort, limited }: Wanted,
): Candidate {
  const rankOf = (one: Candidate) =>
    one.pointFields * 10 +
    (one.rangeField ? 5 : 0) +
    (sort !== undefined && one.plan.sorted ? (limited ? 8 : 6) : 0);
  const difference = rankOf(a) - rankOf(b);
  if (Math.abs(difference) >= 5 && !(narrows(a) && narrows(b))) return difference > 0 ? a : b;
  if (difference !== 0 && (a.plan.sorted || b.plan.sorted)) {
    const [ahead, behind] = difference > 0 ? [a, b] : [b, a];
    return readsFew(collection, behind, ahead) ? behind : ahead;
  }
  const keysOfA = probe(collection, a.plan, probeMax);
  const keysOfB = probe(collection, b.plan, probeMax);
  if (keysOfA !== keysOfB) return keysOfA < keysOfB ? a : b;
  return difference >= 0 ? a : b;
}

/** What is sorted already may still have to be read to its end, when few of it match. */
function readsFew(collection: Collection, one: Candidate, sorted: Candidate): boolean {
  if ((sorted.plan.exact && !sorted.plan.others) || !narrows(one)) return false;
  const keys = probe(collection, one.plan, fewKeys);
  return keys < fewKeys && keys < probe(collection, sorted.plan, fewKeys);
}

/** One `$or` whose every alternative has an index of its own. */
function unionPlan(collection: Collection, wanted: Wanted): Plan | undefined {
  for (const alternatives of wanted.predicates.alternatives) {
    const branches: IndexPlan[] = [];
    for (const predicates of alternatives) {
      const together: Predicates = {
        all: [...predicates.all, ...wanted.predicates.all],
        alternatives: [],
        complete: false,
      };
      const best = bestCandidate(collection, {
        predicates: together,
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
