import { FieldNames } from "../../bson/field-names.ts";
import { MongoError } from "../../errors.ts";
import { compileFilter, type Filter } from "../filter/compile.ts";
import { canonicalDocument } from "../values/canonical.ts";
import { boundedDepth, storedDepthMax } from "../values/depth.ts";
import { type Document, fieldName, isDocument } from "../values/document.ts";
import type { MatchDetails } from "../values/paths.ts";
import { shellText } from "../values/shell-text.ts";
import { typeName } from "../values/types.ts";
import { addToSet, pop, pull, pullAll, push } from "./array-updates.ts";
import { checkArrayFilters, compileArrayFilters } from "./array-filters.ts";
import { checkIdUnchanged } from "./document-id.ts";
import { comparePaths, parseUpdatePath, PathConflicts, type UpdatePath } from "./path.ts";
import { applyRename, parseRename } from "./rename.ts";
import { bits, currentDate, greatest, increment, least, multiplyBy } from "./value-updates.ts";
import { type ApplyContext, applyAtPath, type ValueUpdate } from "./apply-at-path.ts";

export type UpdateContext = {
  /** The filter that selected the document. `$` stands for the array position where it matched. */
  readonly filter: Document;
  readonly isInsert: boolean;
  readonly now: Date;
};

export type UpdateOptions = {
  readonly arrayFilters?: readonly Document[] | undefined;
  /** The variables of the command's `let`. */
  readonly variables?: Document | undefined;
};

/** Returns a new document, or the same object if nothing changed. */
export type ApplyUpdate = (document: Document, context: UpdateContext) => Document;

export type OperatorUpdate = {
  readonly apply: ApplyUpdate;
  /** The top-level fields that the update reads or changes, including `_id`; undefined for any. */
  readonly touches: FieldNames | undefined;
  /** The top-level fields that can change; undefined for any. */
  readonly changes: FieldNames | undefined;
};

type Step = {
  readonly path: UpdatePath;
  readonly apply: (document: Document, context: ApplyContext) => Document;
};

const valueUpdates: {
  readonly [operator: string]: (field: string, operand: unknown) => ValueUpdate;
} = {
  $set: (_field, operand) => () => operand,
  $setOnInsert: (_field, operand) => () => operand,
  $unset: () => () => undefined,
  $inc: increment,
  $mul: multiplyBy,
  $min: (_field, operand) => least(operand),
  $max: (_field, operand) => greatest(operand),
  $currentDate: (_field, operand) => currentDate(operand),
  $bit: bits,
  $push: push,
  $addToSet: addToSet,
  $pop: pop,
  $pull: (_field, operand) => pull(operand),
  $pullAll: (_field, operand) => pullAll(operand),
};

const changesOnlyWhatExists = new Set(["$unset", "$pop", "$pull", "$pullAll"]);

/** Up to this depth no single change can exceed the nesting limit. */
const depthUnchecked = 90;

export function compileOperatorUpdate(
  given: Document,
  { arrayFilters = [], variables }: UpdateOptions,
): OperatorUpdate {
  const update = canonicalDocument(given);
  const steps = Object.keys(update).flatMap((key) => compileModifier(fieldName(key), update[key]));
  const paths = steps.map((step) => step.path);
  const conflicts = new PathConflicts(
    (path, at) => `Updating the path '${path}' would create a conflict at '${at}'`,
  );
  for (const path of paths) conflicts.add(path.parts.map((part) => part.text));
  const filters = compileArrayFilters(arrayFilters);
  checkArrayFilters(filters, paths, update);
  const ordered = steps.toSorted((a, b) => comparePaths(a.path, b.path));
  const dynamic = paths.some((path) => path.parts.some((part) => part.kind !== "name"));
  const matched = paths.some((path) => path.parts.some((part) => part.kind === "matched"));
  const deep =
    boundedDepth(update, storedDepthMax) + Math.max(0, ...paths.map((path) => path.parts.length)) >
    depthUnchecked;
  const apply: ApplyUpdate = (document, given) => {
    const context = {
      isInsert: given.isInsert,
      now: given.now,
      document,
      position: matched ? matchedPosition(document, given, variables) : refusePosition,
      arrayFilters: filters,
      touched: dynamic && steps.length > 1 ? conflictsAtRun() : undefined,
    };
    let result = document;
    for (const step of ordered) result = step.apply(result, context);
    checkIdUnchanged(document, result, given.isInsert);
    if (deep && result !== document) boundedDepth(result, storedDepthMax);
    return result;
  };
  // $rename moves a field to the end of the document, and `$` needs the whole document.
  const names = paths.map(({ parts }) => parts[0]?.text ?? "");
  const touches =
    matched || Object.hasOwn(update, "$rename") ? undefined : new FieldNames(["_id", ...names]);
  return { apply, touches, changes: new FieldNames(names) };
}

/**
 * With `$[]` and `$` two operators can reach the same path. Only the document shows this, so the
 * check runs with each update.
 */
function conflictsAtRun(): (names: readonly string[]) => void {
  const conflicts = new PathConflicts((_path, at) => `Update created a conflict at '${at}'`);
  return (names) => conflicts.add(names);
}

function compileModifier(operator: string, operand: unknown): Step[] {
  if (operator !== "$rename" && !Object.hasOwn(valueUpdates, operator)) {
    throw new MongoError(
      "FailedToParse",
      `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  }
  if (!isDocument(operand)) {
    throw new MongoError(
      "FailedToParse",
      `Modifiers operate on fields but we found type ${typeName(operand)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${shellText(operand)}}`,
    );
  }
  return Object.keys(operand).flatMap((key) => {
    const field = fieldName(key);
    return operator === "$rename"
      ? compileRename(field, operand[key])
      : [compileStep(operator, field, operand[key])];
  });
}

function compileStep(operator: string, field: string, operand: unknown): Step {
  const compile = valueUpdates[operator] as (field: string, operand: unknown) => ValueUpdate;
  const path = parseUpdatePath(field);
  const change = {
    path,
    update: compile(field, operand),
    creates: !changesOnlyWhatExists.has(operator),
  };
  const onlyOnInsert = operator === "$setOnInsert";
  return {
    path,
    apply: (document, context) =>
      onlyOnInsert && !context.isInsert ? document : applyAtPath(change, document, context),
  };
}

function compileRename(field: string, operand: unknown): Step[] {
  const rename = parseRename(field, operand);
  return [
    { path: rename.source, apply: (document) => document },
    { path: rename.target, apply: (document, context) => applyRename(rename, document, context) },
  ];
}

function refusePosition(): number {
  throw new MongoError(
    "BadValue",
    "The positional operator did not find the match needed from the query.",
  );
}

const compiledFilters = new WeakMap<Document, Filter>();

/** Finds the array position where the filter matched, on first use. */
function matchedPosition(
  document: Document,
  { filter, isInsert, now }: UpdateContext,
  variables: Document | undefined,
): () => number {
  let position: number | undefined;
  return () => {
    if (position !== undefined) return position;
    if (isInsert) return refusePosition();
    let compiled = compiledFilters.get(filter);
    if (compiled === undefined) {
      compiled = compileFilter(filter, { variables, now });
      compiledFilters.set(filter, compiled);
    }
    const details: MatchDetails = { position: undefined };
    compiled.matches(document, details);
    position = details.position ?? refusePosition();
    return position;
  };
}
