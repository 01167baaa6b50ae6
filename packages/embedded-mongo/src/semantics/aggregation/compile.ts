import { MongoError } from "../../errors.ts";
import { letVariables } from "../expression/variables.ts";
import { compileFilter } from "../filter/compile.ts";
import { canonical } from "../values/canonical.ts";
import { answeredDepthMax, boundedDepth } from "../values/depth.ts";
import { type Document, isDocument, newDocument } from "../values/document.ts";
import {
  count,
  facet,
  limit,
  match,
  parseCount,
  redact,
  sample,
  skip,
  sortStage,
} from "./flow-stages.ts";
import { group } from "./group.ts";
import { bucket, lookup, sortByCount, unionWith } from "./join-stages.ts";
import { addFields, project, replaceRoot, replaceWith, unset, unwind } from "./shape-stages.ts";
import type { CompileStage, ReadCollection, Stage, StageContext } from "./stage.ts";

const stagesMax = 1000;
const depthMax = 20;

const compilers: ReadonlyMap<string, CompileStage> = new Map<string, CompileStage>([
  ["$match", match],
  ["$sort", (operand) => sortStage(operand)],
  ["$limit", limit],
  ["$skip", skip],
  ["$count", count],
  ["$sample", sample],
  ["$facet", facet],
  ["$redact", redact],
  ["$project", project],
  ["$addFields", addFields],
  ["$set", addFields],
  ["$unset", unset],
  ["$replaceRoot", replaceRoot],
  ["$replaceWith", replaceWith],
  ["$unwind", unwind],
  ["$group", group],
  ["$sortByCount", sortByCount],
  ["$bucket", bucket],
  ["$lookup", lookup],
  ["$unionWith", unionWith],
]);

const known = new Set(
  "$bucketAuto $changeStream $changeStreamSplitLargeEvent $collStats $currentOp $densify $documents $fill $geoNear $graphLookup $indexStats $listLocalSessions $listSearchIndexes $listSessions $merge $out $planCacheStats $querySettings $rankFusion $search $searchMeta $setWindowFields $vectorSearch".split(
    " ",
  ),
);

/** The leading stages of a pipeline that equal a find, which the server can run with an index. */
export type Leading = {
  readonly filter: Document;
  readonly sort: Document | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
};

export type AggregationContext = {
  readonly read: ReadCollection;
  readonly now: Date;
  /** The variables of the command's `let`. */
  readonly variables?: Document | undefined;
  /** Throws if the command has exceeded its time limit. */
  readonly checkTime?: (() => void) | undefined;
};

export type Aggregation = {
  readonly leading: Leading;
  /** Runs the stages after the leading part on its documents. */
  readonly run: Stage;
};

/** Compiles a whole pipeline into one stage, including its leading part. */
export function compilePipeline(
  pipeline: readonly Document[],
  { variables, ...context }: AggregationContext,
): Stage {
  const stages = (canonical([...pipeline]) as unknown[]).map(parseStage);
  return limitDepth(
    compileStages(stages, contextOf(letVariables(variables, context.now), context, 0)),
    stages,
  );
}

/** Stages that do not add nesting to documents. */
const depthPreserving = new Set([
  "$match",
  "$sort",
  "$limit",
  "$skip",
  "$sample",
  "$count",
  "$unset",
]);

/** Refuses documents that are nested deeper than a client can read. */
function limitDepth(stage: Stage, stages: readonly ParsedStage[]): Stage {
  if (stages.every(({ name }) => depthPreserving.has(name))) return stage;
  return function* run(documents) {
    for (const document of stage(documents)) {
      boundedDepth(document, answeredDepthMax);
      yield document;
    }
  };
}

/** Compiles a pipeline whose leading part the caller reads as a find. `run` executes the rest. */
export function compileAggregation(
  pipeline: readonly Document[],
  { variables, ...context }: AggregationContext,
): Aggregation {
  const stages = (canonical([...pipeline]) as unknown[]).map(parseStage);
  const values = letVariables(variables, context.now);
  const { leading, rest } = splitLeading(stages, values, context.now);
  return { leading, run: limitDepth(compileStages(rest, contextOf(values, context, 0)), rest) };
}

type ParsedStage = { readonly name: string; readonly operand: unknown };

export function parseStage(stage: unknown): ParsedStage {
  if (!isDocument(stage))
    throw new MongoError("TypeMismatch", "Each element of the 'pipeline' array must be an object");
  const [name, second] = Object.keys(stage);
  if (name === undefined || second !== undefined) {
    throw new MongoError(
      40323,
      "A pipeline stage specification object must contain exactly one field.",
    );
  }
  return { name, operand: stage[name] };
}

function contextOf(
  variables: Readonly<Record<string, unknown>>,
  given: Omit<AggregationContext, "variables">,
  depth: number,
): StageContext {
  if (depth > depthMax)
    throw new MongoError(
      232,
      `Maximum number of nested sub-pipelines exceeded. Limit is ${depthMax}`,
    );
  return {
    ...given,
    variables,
    scope: { variables: new Set(Object.keys(variables)) },
    subPipeline: (stages, inner) =>
      compileStages(stages.map(parseStage), contextOf(inner, given, depth + 1)),
  };
}

/** Compiles the stages in order. A limit directly after a sort bounds the memory of the sort. */
export function compileStages(stages: readonly ParsedStage[], context: StageContext): Stage {
  if (stages.length > stagesMax) {
    throw new MongoError(
      "FailedToParse",
      `Pipeline length must be no longer than ${stagesMax} stages`,
    );
  }
  const compiled = stages.map(({ name, operand }, index) => {
    const next = stages[index + 1];
    if (name === "$sort" && next?.name === "$limit") {
      return sortStage(operand, parseCount("$limit", next.operand, 1, 15958));
    }
    return compilerOf(name)(operand, context);
  });
  return (documents) => compiled.reduce((input, stage) => stage(input), documents);
}

function compilerOf(name: string): CompileStage {
  const compiler = compilers.get(name);
  if (compiler !== undefined) return compiler;
  throw new MongoError(
    40324,
    known.has(name)
      ? `Pipeline stage ${name} is not supported by this server`
      : `Unrecognized pipeline stage name: '${name}'`,
  );
}

function splitLeading(
  stages: readonly ParsedStage[],
  variables: Readonly<Record<string, unknown>>,
  now: Date,
): { leading: Leading; rest: readonly ParsedStage[] } {
  let at = 0;
  const take = (name: string) => (stages[at]?.name === name ? stages[at++]?.operand : undefined);
  const filters: Document[] = [];
  while (stages[at]?.name === "$match") {
    const filter = take("$match");
    if (!isDocument(filter))
      throw new MongoError(15959, "the match filter must be an expression in an object");
    compileFilter(filter, { variables, now });
    filters.push(filter);
  }
  const sort = take("$sort");
  if (sort !== undefined) sortStage(sort);
  const skipped = take("$skip");
  const limited = take("$limit");
  const leading = {
    filter: filters.length < 2 ? (filters[0] ?? newDocument()) : { $and: filters },
    sort: sort as Document | undefined,
    skip: skipped === undefined ? 0 : parseCount("$skip", skipped, 0, 15956),
    limit: limited === undefined ? undefined : parseCount("$limit", limited, 1, 15958),
  };
  return { leading, rest: stages.slice(at) };
}
