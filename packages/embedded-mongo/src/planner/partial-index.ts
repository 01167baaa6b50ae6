import { encodeDocument } from "../document-codec.ts";
import type { IndexTable } from "../storage/collections/index-table.ts";
import { compareBounds } from "./bounds.ts";
import type { Interval } from "./bounds.ts";
import { readPredicates } from "./read-predicates.ts";
import type { Predicate, Predicates } from "./predicates.ts";

const readFilters = new WeakMap<IndexTable, Predicates>();

/** Whether the index contains every document that can match. */
export function coversAllMatches(index: IndexTable, predicates: Predicates): boolean {
  const { partialFilter, sparse, fields } = index.definition;
  if (sparse) {
    // A compound sparse index omits only documents that have none of its fields.
    const paths = new Set(fields.map((field) => field.path));
    return predicates.all.some(({ path, requiresField }) => requiresField && paths.has(path));
  }
  return partialFilter === undefined || impliesPartial(index, predicates);
}

function impliesPartial(index: IndexTable, predicates: Predicates): boolean {
  let wanted = readFilters.get(index);
  if (wanted === undefined) {
    wanted = readPredicates(encodeDocument(index.definition.partialFilter ?? {}));
    readFilters.set(index, wanted);
  }
  return isFullyRead(index, wanted) && wanted.all.every((clause) => isImplied(clause, predicates));
}

/**
 * Whether the predicates express the whole partial filter. `$exists: true` counts, though not
 * exact.
 */
function isFullyRead(index: IndexTable, wanted: Predicates): boolean {
  if (wanted.alternatives.length > 0) return false;
  return countClauses(index.definition.partialFilter ?? {}) === wanted.all.length;
}

function countClauses(filter: { readonly [name: string]: unknown }): number {
  let count = 0;
  for (const [name, value] of Object.entries(filter)) {
    if (name === "$and") {
      for (const clause of value as { readonly [name: string]: unknown }[]) {
        count += countClauses(clause);
      }
      continue;
    }
    const operators =
      typeof value === "object" && value !== null
        ? Object.keys(value).filter((operator) => operator.startsWith("$"))
        : [];
    count += Math.max(1, operators.length);
  }
  return count;
}

function isImplied(clause: Predicate, predicates: Predicates): boolean {
  return predicates.all.some(
    (known) =>
      known.path === clause.path &&
      (!clause.requiresField || known.requiresField) &&
      known.intervals.every((interval) => isInside(interval, clause.intervals)),
  );
}

function isInside(interval: Interval, intervals: readonly Interval[]): boolean {
  return intervals.some(
    (outer) =>
      compareBounds(outer.low, interval.low) <= 0 && compareBounds(interval.high, outer.high) <= 0,
  );
}
