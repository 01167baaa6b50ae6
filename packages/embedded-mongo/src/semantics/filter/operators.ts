import { MongoError } from "../../errors.ts";
import { regexParts } from "../values/comparison/compare.ts";
import { type Document, fieldKey, fieldName, isDocument, newDocument } from "../values/document.ts";
import {
  type LeafTest,
  type MatchDetails,
  parsePath,
  type Path,
  someLeaf,
} from "../values/paths.ts";
import { typeName } from "../values/types.ts";
import { equalTo, inRange, isIn, matchesRegex } from "./leaf-tests.ts";
import { isTrue } from "../values/truth.ts";
import { hasBits, hasRemainder, hasSize, hasType } from "./operand-tests.ts";

/** A compiled filter. `details` receives the array position for the positional `$`. */
export type Test = (document: Document, details?: MatchDetails) => boolean;

/** The surrounding filter, as operators use it. */
export type Context = {
  /** Compiles a whole filter, one level deeper. */
  readonly compileClauses: (filter: Document) => Test;
  /** The same context one level deeper. */
  readonly deeper: () => Context;
};

/** A path, and whether an array at its end also counts as its elements. */
export type Target = { readonly path: Path; readonly expand: boolean };

/** An array element under test counts as itself only. */
const elementTarget: Target = { path: parsePath("element"), expand: false };

/**
 * Whether a document consists of operators. `$ref`, `$id` and `$db` of a DBRef are plain fields.
 */
export function isOperatorDocument(value: unknown): value is Document {
  if (!isDocument(value)) return false;
  const [first] = Object.keys(value);
  return first !== undefined && first.startsWith("$") && !["$ref", "$id", "$db"].includes(first);
}

export function allOf(tests: readonly Test[]): Test {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) {
    return (document, details) => first(document, details) && second(document, details);
  }
  return (document, details) => {
    for (const test of tests) if (!test(document, details)) return false;
    return true;
  };
}

function not(test: Test): Test {
  return (document) => !test(document);
}

/** Tests all values at a path. A top-level scalar, the most common case, has a fast path. */
function someValue(target: Target, test: LeafTest): Test {
  const leaves = { ...target, test };
  if (target.path.keys.length > 1)
    return (document, details) => someLeaf(leaves, document, details);
  const [key] = target.path.keys as [string];
  return (document, details) => {
    const value = document[key];
    if (Array.isArray(value)) return someLeaf(leaves, document, details);
    return test(typeof value === "function" ? undefined : value);
  };
}

/** Tests equality, or a match if the operand is a regular expression. */
export function equalOrMatching(target: Target, operand: unknown): Test {
  return someValue(
    target,
    typeName(operand) === "regex" ? matchesRegex(operand) : equalTo(operand),
  );
}

export function compileOperators(target: Target, operators: Document, context: Context): Test {
  return allOf(
    Object.keys(operators).flatMap((operator) =>
      compileOperator(target, operator, operators, context),
    ),
  );
}

function compileOperator(
  target: Target,
  operator: string,
  operators: Document,
  context: Context,
): Test[] {
  const operand = operators[operator];
  switch (operator) {
    case "$eq":
      return [someValue(target, equalTo(operand))];
    case "$ne":
      if (typeName(operand) === "regex") {
        throw new MongoError("BadValue", "Can't have regex as arg to $ne.");
      }
      return [not(someValue(target, equalTo(operand)))];
    case "$lt":
    case "$lte":
    case "$gt":
    case "$gte":
      return [someValue(target, inRange(operator, operand, target.path.text))];
    case "$in":
      return [someValue(target, isIn(listOf(operator, operand)))];
    case "$nin":
      return [not(someValue(target, isIn(listOf(operator, operand))))];
    case "$exists": {
      const exists = someValue(target, (value) => value !== undefined);
      return [isTrue(operand) ? exists : not(exists)];
    }
    case "$type":
      return [someValue(target, hasType(operand))];
    case "$mod":
      return [someValue(target, hasRemainder(operand))];
    case "$size":
      return [someValue({ ...target, expand: false }, hasSize(operand))];
    case "$regex":
      return [someValue(target, matchesRegex(regexWithOptions(operand, operators["$options"])))];
    case "$options":
      if (operators["$regex"] === undefined) {
        throw new MongoError("BadValue", "$options needs a $regex");
      }
      return [];
    case "$not":
      return [not(compileNegated(target, operand, context))];
    case "$all":
      return compileAll(target, operand, context);
    case "$elemMatch":
      return [compileElemMatch(target, operand, context)];
    case "$bitsAllSet":
    case "$bitsAllClear":
    case "$bitsAnySet":
    case "$bitsAnyClear":
      return [someValue(target, hasBits(operator, operand))];
    case "$comment":
      return [];
    default:
      throw new MongoError("BadValue", refusal(operator));
  }
}

const geo = new Set(["$geoWithin", "$geoIntersects", "$near", "$nearSphere", "$within"]);

function refusal(operator: string): string {
  return geo.has(operator)
    ? `${operator} is not supported by this server`
    : `unknown operator: ${fieldName(operator)}`;
}

function listOf(operator: string, operand: unknown): readonly unknown[] {
  if (!Array.isArray(operand)) throw new MongoError("BadValue", `${operator} needs an array`);
  if (operand.some(isOperatorDocument)) {
    throw new MongoError("BadValue", `cannot nest $ under ${operator}`);
  }
  return operand;
}

type RegexParts = { readonly pattern: string; readonly options: string };

function regexWithOptions(operand: unknown, options: unknown): RegexParts {
  if (options !== undefined && typeof options !== "string") {
    throw new MongoError("BadValue", "$options has to be a string");
  }
  if (typeof operand === "string") return { pattern: operand, options: sorted(options ?? "") };
  if (typeName(operand) !== "regex") throw new MongoError("BadValue", "$regex has to be a string");
  const parts = regexParts(operand);
  if (parts.options !== "" && options !== undefined) {
    throw new MongoError(51075, "options set in both $regex and $options");
  }
  return { pattern: parts.pattern, options: sorted(options ?? parts.options) };
}

/** BSON keeps the options of a regular expression in alphabetical order. */
function sorted(options: string): string {
  return options.split("").toSorted().join("");
}

function compileNegated(target: Target, operand: unknown, context: Context): Test {
  if (typeName(operand) === "regex") return someValue(target, matchesRegex(operand));
  if (!isDocument(operand)) throw new MongoError("BadValue", "$not needs a regex or a document");
  if (Object.keys(operand).length === 0) throw new MongoError("BadValue", "$not cannot be empty");
  return compileOperators(target, operand, context.deeper());
}

function compileAll(target: Target, operand: unknown, context: Context): Test[] {
  if (!Array.isArray(operand)) throw new MongoError("BadValue", "$all needs an array");
  if (operand.length === 0) return [() => false];
  const elementMatches = operand.filter(
    (one: unknown) => isDocument(one) && Object.keys(one)[0] === "$elemMatch",
  ) as Document[];
  if (elementMatches.length === operand.length) {
    return elementMatches.map((one) => compileElemMatch(target, one["$elemMatch"], context));
  }
  return operand.map((one: unknown) => {
    if (isOperatorDocument(one)) throw new MongoError("BadValue", "no $ expressions in $all");
    return equalOrMatching(target, one);
  });
}

function compileElemMatch(target: Target, operand: unknown, context: Context): Test {
  if (!isDocument(operand)) throw new MongoError("BadValue", "$elemMatch needs an Object");
  const matches = compileElement(operand, context.deeper());
  return (document, details) => {
    let inner: number | undefined;
    const test: LeafTest = (value) => {
      const index = Array.isArray(value) ? value.findIndex(matches) : -1;
      if (index >= 0) inner = index;
      return index >= 0;
    };
    const outer: MatchDetails = { position: undefined };
    if (!someLeaf({ path: target.path, expand: false, test }, document, outer)) return false;
    // With arrays inside arrays, `$` stands for the position in the outermost array.
    if (details !== undefined) details.position = outer.position ?? inner;
    return true;
  };
}

const logical = new Set(["$and", "$or", "$nor", "$where", "$expr"]);

/**
 * Compiles the test of one array element: operators on the element itself, or a filter of its
 * fields.
 */
export function compileElement(operand: Document, context: Context): (element: unknown) => boolean {
  const [first] = Object.keys(operand);
  if (first !== undefined && isOperatorDocument(operand) && !logical.has(first)) {
    const test = compileOperators(elementTarget, operand, context);
    return (element) => test({ element });
  }
  const test = context.compileClauses(operand);
  return (element) => {
    if (Array.isArray(element)) return test(arrayAsDocument(element));
    return isDocument(element) && test(element);
  };
}

/** Where a document is expected, an array counts as a document of its positions. */
function arrayAsDocument(array: readonly unknown[]): Document {
  const document = newDocument();
  for (const [index, value] of array.entries()) document[fieldKey(String(index))] = value;
  return document;
}
