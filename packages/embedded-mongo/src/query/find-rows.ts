import type { Buffer } from "node:buffer";
import { FieldNames } from "../bson/field-names.ts";
import { partOf } from "../bson/part-of-document.ts";
import { decodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import type { Deadline } from "../commands/deadline.ts";
import { choosePlan } from "../planner/choose-plan.ts";
import type { IndexPlan, Plan, SortField } from "../planner/plan.ts";
import { type Predicates, readPredicates } from "../planner/predicates.ts";
import { compileFilter, parseSort } from "../semantics/index.ts";
import type { Collection } from "../storage/collection.ts";
import { concatenate, fetchRows, merge, scanRange, scanTable, pointRows } from "./scans.ts";
import type { EntryStream, Reading, ScanCounts } from "./scans.ts";
import { sortRows } from "./sort-rows.ts";
import { emptyStream } from "./stream.ts";
import type { RowStream } from "./stream.ts";

export type Query = {
  readonly filter: Buffer | undefined;
  readonly sort: Document | undefined;
  readonly hint: unknown;
  /** How many rows are wanted, when that is known: 0 for all. */
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
  // Compiling is what refuses unknown operators, so only what is fully understood goes without.
  const matcher = predicates.complete ? undefined : compiled(query);
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
    const names = predicates.complete ? topLevelNames(predicates) : undefined;
    rows = filtered(rows, matcher ?? compiled(query), names);
  }
  if (sort !== undefined && !plan.sorted) rows = sortRows(rows, query.sort!, query.limit);
  return { plan, counts, rows };
}

function compiled(query: Query) {
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

/** Of each document only what the filter names is decoded, where that can be said. */
function filtered(
  rows: RowStream,
  matcher: ReturnType<typeof compiled>,
  names: FieldNames | undefined,
): RowStream {
  return {
    next: () => {
      for (;;) {
        const row = rows.next();
        if (row === undefined) return row;
        const part = names && partOf(row.document, names);
        if (matcher.matches(decodeDocument(part ?? row.document))) return row;
      }
    },
    pause: () => rows.pause(),
  };
}

function rowsOf(collection: Collection, plan: Plan, query: Query, counts: ScanCounts): RowStream {
  const { deadline, limit } = query;
  if (plan.kind === "table") return scanTable(collection, plan.descending, counts, deadline);
  const chunk = plan.exact && plan.sorted ? limit : 0;
  if (plan.kind === "index" && plan.points && !plan.merged && !plan.repeats) {
    return pointRows(collection, plan, counts, deadline);
  }
  if (plan.kind === "index") {
    // Of stretches read side by side most of what is read ahead is not wanted.
    const entries = entriesOf(collection, plan, { wanted: chunk, withDocuments: !plan.merged });
    return fetchRows(collection, entries, plan.repeats, counts, deadline);
  }
  const reading = { wanted: 0, withDocuments: true };
  const entries = concatenate(
    plan.branches.map((branch) => entriesOf(collection, branch, reading)),
  );
  return fetchRows(collection, entries, true, counts, deadline);
}

export function entriesOf(collection: Collection, plan: IndexPlan, reading: Reading): EntryStream {
  const ranges = plan.descending ? plan.ranges.toReversed() : plan.ranges;
  const streams = ranges.map((range) => scanRange(collection, plan, range, reading));
  return plan.merged ? merge(streams, ranges, plan.descending) : concatenate(streams);
}
