import type { Buffer } from "node:buffer";
import { FieldNames } from "../bson/field-names.ts";
import { selectFields } from "../bson/part-of-document.ts";
import { decodeDocument } from "../document-codec.ts";
import type { Document } from "../document-codec.ts";
import type { Deadline } from "../deadline.ts";
import { choosePlan } from "../planner/choose-plan.ts";
import type { IndexPlan, Plan, SortField } from "../planner/plan.ts";
import type { Predicates } from "../planner/predicates.ts";
import { readPredicates } from "../planner/read-predicates.ts";
import { compileFilter, parseSort } from "../semantics/index.ts";
import type { Collection } from "../storage/collections/collection.ts";
import { concatenate, fetchRows, merge, scanRange, scanTable, lookUpUniqueKeys } from "./scans.ts";
import type { EntryStream, ScanOptions, ScanCounts } from "./scans.ts";
import { sortRows } from "./sort-rows.ts";
import { emptyStream } from "./stream.ts";
import type { RowStream } from "./stream.ts";

export type Query = {
  readonly filter: Buffer | undefined;
  readonly sort: Document | undefined;
  readonly hint: unknown;
  /** The number of rows the caller will read at most; 0 for all. */
  readonly limit: number;
  readonly variables: Document | undefined;
  readonly now: Date;
  readonly deadline: Deadline;
};

export type PlannedQuery = {
  readonly plan: Plan | undefined;
  readonly counts: ScanCounts;
  readonly rows: RowStream;
};

export function findRows(collection: Collection | undefined, query: Query): RowStream {
  return planQuery(collection, query).rows;
}

export function planQuery(collection: Collection | undefined, query: Query): PlannedQuery {
  const predicates = readPredicates(query.filter);
  const counts: ScanCounts = { keys: 0, documents: 0 };
  // Compiling a filter refuses unknown operators. It is skipped only if all predicates are
  // understood.
  const matcher = predicates.isComplete ? undefined : compileQueryFilter(query);
  const sort = sortFields(query.sort);
  if (collection === undefined) return { plan: undefined, counts, rows: emptyStream };
  const plan = choosePlan(collection, {
    predicates,
    sort,
    hint: query.hint,
    limited: query.limit > 0,
  });
  let rows = rowsOf(collection, plan, query, counts);
  if (!plan.exact) {
    const names = predicates.isComplete ? topLevelNames(predicates) : undefined;
    rows = filterRows(rows, matcher ?? compileQueryFilter(query), names);
  }
  if (sort !== undefined && !plan.sorted) rows = sortRows(rows, query.sort!, query.limit);
  return { plan, counts, rows };
}

function compileQueryFilter(query: Query) {
  const filter = query.filter === undefined ? {} : decodeDocument(query.filter);
  return compileFilter(filter, {
    variables: query.variables,
    now: query.now,
    checkTime: query.deadline.check,
  });
}

function sortFields(sort: Document | undefined): readonly SortField[] | undefined {
  if (sort === undefined) return undefined;
  if ("$natural" in sort) return [{ path: "$natural", descending: Number(sort["$natural"]) < 0 }];
  return parseSort(sort).map(({ path, direction }) => ({ path, descending: direction < 0 }));
}

function topLevelNames({ all }: Predicates): FieldNames {
  return new FieldNames(all.map(({ path }) => path.split(".")[0] ?? ""));
}

/** Decodes only the fields that the filter names, if they are known. */
function filterRows(
  rows: RowStream,
  matcher: ReturnType<typeof compileQueryFilter>,
  names: FieldNames | undefined,
): RowStream {
  return {
    next: () => {
      for (;;) {
        const row = rows.next();
        if (row === undefined) return row;
        const partial = names && selectFields(row.document, names);
        if (matcher.matches(decodeDocument(partial ?? row.document))) return row;
      }
    },
    pause: () => rows.pause(),
  };
}

function rowsOf(collection: Collection, plan: Plan, query: Query, counts: ScanCounts): RowStream {
  const { deadline, limit } = query;
  if (plan.kind === "table") return scanTable(collection, plan.descending, counts, deadline);
  const expectedEntries = plan.exact && plan.sorted ? limit : 0;
  if (plan.kind === "index" && plan.isUniqueLookup && !plan.merged && !plan.mayRepeatDocuments) {
    return lookUpUniqueKeys(collection, plan, counts, deadline);
  }
  if (plan.kind === "index") {
    // When ranges are merged, most documents that are read ahead are not used.
    const entries = entriesOf(collection, plan, { expectedEntries, withDocuments: !plan.merged });
    return fetchRows(collection, entries, plan.mayRepeatDocuments, counts, deadline);
  }
  const options = { expectedEntries: 0, withDocuments: true };
  const entries = concatenate(
    plan.branches.map((branch) => entriesOf(collection, branch, options)),
  );
  return fetchRows(collection, entries, true, counts, deadline);
}

export function entriesOf(
  collection: Collection,
  plan: IndexPlan,
  options: ScanOptions,
): EntryStream {
  const ranges = plan.descending ? plan.ranges.toReversed() : plan.ranges;
  const streams = ranges.map((range) => scanRange(collection, plan, range, options));
  return plan.merged ? merge(streams, ranges, plan.descending) : concatenate(streams);
}
