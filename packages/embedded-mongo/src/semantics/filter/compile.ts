import { MongoError } from "../../errors.ts";
import { compileExpressionFilter } from "./expression-clause.ts";
import type { FilterOptions } from "./filter-options.ts";
import { canonicalDocument } from "../values/canonical.ts";
import { type Document, fieldName, isDocument } from "../values/document.ts";
import { parsePath } from "../values/paths.ts";
import {
  allOf,
  compileElement,
  compileOperators,
  type Context,
  equalOrMatching,
  isOperatorDocument,
  type Test,
} from "./operators.ts";

export type Filter = { readonly matches: Test };

/** MongoDB's limit for the nesting of $and, $or, $not and $elemMatch in one filter. */
const depthMax = 100;

export function compileFilter(filter: Document, options: FilterOptions = {}): Filter {
  return { matches: compileClauses(canonicalDocument(filter), options, 0) };
}

/** Compiles the test of one array element, for `$elemMatch` and `$pull`. */
export function compileElementFilter(operand: Document): (element: unknown) => boolean {
  return compileElement(canonicalDocument(operand), contextAt({}, 0));
}

function contextAt(options: FilterOptions, depth: number): Context {
  if (depth > depthMax) {
    throw new MongoError("BadValue", `exceeded maximum query tree depth of ${depthMax}`);
  }
  return {
    compileClauses: (filter) => compileClauses(filter, options, depth),
    deeper: () => contextAt(options, depth + 1),
  };
}

function compileClauses(filter: Document, options: FilterOptions, depth: number): Test {
  const context = contextAt(options, depth);
  return allOf(
    Object.keys(filter).flatMap((key) => {
      const name = fieldName(key);
      const operand = filter[key];
      if (name.startsWith("$")) return compileTopLevel(name, operand, options, context);
      const target = { path: parsePath(name), expand: true };
      return isOperatorDocument(operand)
        ? compileOperators(target, operand, context)
        : equalOrMatching(target, operand);
    }),
  );
}

const refused = new Set(["$where", "$text", "$jsonSchema", "$sampleRate", "$near", "$geoNear"]);

function compileTopLevel(
  name: string,
  operand: unknown,
  options: FilterOptions,
  context: Context,
): Test[] {
  switch (name) {
    case "$and":
      return compileList(name, operand, context);
    case "$or": {
      const tests = compileList(name, operand, context);
      return [(document, details) => tests.some((test) => test(document, details))];
    }
    case "$nor": {
      const tests = compileList(name, operand, context);
      return [(document) => !tests.some((test) => test(document))];
    }
    case "$comment":
      return [];
    case "$expr":
      return [compileExpressionFilter(operand, options)];
    default:
      throw new MongoError(
        "BadValue",
        refused.has(name)
          ? `${name} is not supported by this server`
          : `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function compileList(name: string, operand: unknown, context: Context): Test[] {
  if (!Array.isArray(operand)) throw new MongoError("BadValue", `${name} must be an array`);
  if (operand.length === 0) throw new MongoError("BadValue", `${name} must be a nonempty array`);
  return operand.map((entry: unknown) => {
    if (isDocument(entry)) return context.deeper().compileClauses(entry);
    throw new MongoError("BadValue", "$or/$and/$nor entries need to be full objects");
  });
}
