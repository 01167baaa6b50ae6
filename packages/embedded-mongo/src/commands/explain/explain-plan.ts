import type { Document } from "../../document-codec.ts";
import { keyPattern } from "../../indexes/definition.ts";
import { isPoint } from "../../planner/bounds.ts";
import type { Bound, Interval } from "../../planner/bounds.ts";
import type { IndexPlan, Plan } from "../../planner/plan.ts";

export type Explained = {
  readonly namespace: string;
  readonly filter: Document;
  readonly sort: Document | undefined;
  readonly plan: Plan | undefined;
};

/** Describes the chosen plan with MongoDB's stage names. */
export function explainPlan({ namespace, filter, sort, plan }: Explained): Document {
  return {
    namespace,
    parsedQuery: filter,
    indexFilterSet: false,
    winningPlan: winningPlan(plan, filter, sort),
    rejectedPlans: [],
  };
}

function winningPlan(
  plan: Plan | undefined,
  filter: Document,
  sort: Document | undefined,
): Document {
  if (plan === undefined) return { stage: "EOF" };
  const read = readStages(plan, filter);
  if (sort === undefined || plan.sorted) return read;
  return { stage: "SORT", sortPattern: sort, type: "simple", inputStage: read };
}

function readStages(plan: Plan, filter: Document): Document {
  if (plan.kind === "table") {
    const direction = plan.descending ? "backward" : "forward";
    return { stage: "COLLSCAN", ...(plan.exact ? {} : { filter }), direction };
  }
  const input =
    plan.kind === "union"
      ? { stage: "OR", inputStages: plan.branches.map(indexScan) }
      : plan.merged
        ? { stage: "SORT_MERGE", inputStages: [indexScan(plan)] }
        : indexScan(plan);
  const isAllInBounds = plan.exact && plan.requiredElements === undefined;
  return { stage: "FETCH", ...(isAllInBounds ? {} : { filter }), inputStage: input };
}

function indexScan(plan: IndexPlan): Document {
  const { definition } = plan.index;
  const fields = definition.fields.map((field) => field.path);
  return {
    stage: "IXSCAN",
    keyPattern: keyPattern(definition),
    indexName: definition.name,
    isMultiKey: plan.index.isMultikey,
    multiKeyPaths: Object.fromEntries(
      fields.map((path, i) => [path, plan.index.multikey[i] === true ? [path] : []]),
    ),
    isUnique: definition.unique,
    isSparse: definition.sparse,
    isPartial: definition.partialFilter !== undefined,
    indexVersion: 2,
    direction: plan.descending ? "backward" : "forward",
    indexBounds: Object.fromEntries(
      fields.map((path, i) => [path, (plan.bounds[i] ?? []).slice(0, 100).map(intervalText)]),
    ),
  };
}

/** Bounds are keys, not values, so they are shown as bytes. */
function intervalText(interval: Interval): string {
  const { low, high } = interval;
  if (low.bytes.length === 0 && high.bytes.length === 0) return "[MinKey, MaxKey]";
  if (isPoint(interval)) return `[${boundText(low)}, ${boundText(high)}]`;
  return `${low.after ? "(" : "["}${boundText(low)}, ${boundText(high)}${high.after ? "]" : ")"}`;
}

function boundText({ bytes }: Bound): string {
  return bytes.length === 0 ? "..." : bytes.toString("hex");
}
