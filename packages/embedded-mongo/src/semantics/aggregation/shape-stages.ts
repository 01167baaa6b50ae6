import { MongoError } from "../../errors.ts";
import { fieldPathKeys } from "../expression/compile.ts";
import { compile } from "../expression/index.ts";
import { ProjectionParser } from "../projection/parse.ts";
import { addEntry, applyTree, type Mode, type Tree } from "../projection/tree.ts";
import {
  copyDocument,
  type Document,
  fieldName,
  getField,
  isDocument,
  newDocument,
} from "../values/document.ts";
import { shellText } from "../values/shell-text.ts";
import { typeName } from "../values/types.ts";
import { type CompileStage, environmentOf, type Stage, type StageContext } from "./stage.ts";

/** Maps each document to one document. */
function* mapEach(
  documents: Iterable<Document>,
  change: (document: Document) => Document,
): Iterable<Document> {
  for (const document of documents) yield change(document);
}

function applyTreeToEach(tree: Tree, mode: Mode, context: StageContext): Stage {
  return (documents) =>
    mapEach(documents, (document) =>
      applyTree(document, tree, mode, environmentOf(document, context)),
    );
}

export const project: CompileStage = (operand, context) => {
  if (!isDocument(operand)) throw new MongoError(15969, "$project specification must be an object");
  if (Object.keys(operand).length === 0) {
    throw new MongoError(
      51272,
      "Invalid $project :: caused by :: projection specification must have at least one field",
    );
  }
  const { tree, mode } = new ProjectionParser(context.scope).parse(operand);
  return applyTreeToEach(tree, mode, context);
};

export const addFields: CompileStage = (operand, context) => {
  if (!isDocument(operand)) {
    throw new MongoError(
      40272,
      `$addFields specification stage must be an object, got ${typeName(operand)}`,
    );
  }
  if (Object.keys(operand).length === 0) {
    throw new MongoError(
      40177,
      "Invalid $addFields :: caused by :: specification must have at least one field",
    );
  }
  const tree: Tree = new Map();
  addComputed(tree, operand, [], context);
  return applyTreeToEach(tree, "add", context);
};

function addComputed(
  tree: Tree,
  fields: Document,
  prefix: readonly string[],
  context: StageContext,
): void {
  for (const key of Object.keys(fields)) {
    const keys = [...prefix, ...fieldPathKeys(fieldName(key))];
    const value = fields[key];
    const first = isDocument(value) ? Object.keys(value)[0] : undefined;
    if (isDocument(value) && first !== undefined && !first.startsWith("$")) {
      addComputed(tree, value, keys, context);
    } else addEntry(tree, keys, { kind: "compute", evaluate: compile(value, context.scope) });
  }
}

export const unset: CompileStage = (operand, context) => {
  const names: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (names.length === 0) {
    throw new MongoError(
      31119,
      "$unset specification must be a string or an array with at least one field",
    );
  }
  const tree: Tree = new Map();
  for (const name of names) {
    if (typeof name !== "string")
      throw new MongoError(
        31120,
        "$unset specification must be a string or an array containing only string values",
      );
    addEntry(tree, fieldPathKeys(name), { kind: "drop" });
  }
  return applyTreeToEach(tree, "exclude", context);
};

function compileReplaceRoot(expression: unknown, context: StageContext): Stage {
  const evaluate = compile(expression, context.scope);
  return (documents) =>
    mapEach(documents, (document) => {
      const next = evaluate(environmentOf(document, context));
      if (isDocument(next)) return next;
      throw new MongoError(
        40228,
        `'newRoot' expression must evaluate to an object, but resulting value was: ${shellText(next)}. Type of resulting value: '${typeName(next)}'.`,
      );
    });
}

export const replaceRoot: CompileStage = (operand, context) => {
  if (
    !isDocument(operand) ||
    operand["newRoot"] === undefined ||
    Object.keys(operand).length !== 1
  ) {
    throw new MongoError(40231, "no newRoot specified for the $replaceRoot stage");
  }
  return compileReplaceRoot(operand["newRoot"], context);
};

export const replaceWith: CompileStage = (operand, context) => compileReplaceRoot(operand, context);

type Unwind = {
  readonly keys: readonly string[];
  readonly indexKey: string | undefined;
  readonly preserve: boolean;
};

function parseUnwind(operand: unknown): Unwind {
  const given: Document = typeof operand === "string" ? { path: operand } : (operand as Document);
  if (!isDocument(given))
    throw new MongoError(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(operand)}`,
    );
  const known = new Set(["path", "includeArrayIndex", "preserveNullAndEmptyArrays"]);
  const unknown = Object.keys(given).find((key) => !known.has(key));
  if (unknown !== undefined)
    throw new MongoError(28811, `unrecognized option to $unwind stage: ${fieldName(unknown)}`);
  const { path, includeArrayIndex: index, preserveNullAndEmptyArrays: preserve = false } = given;
  if (typeof path !== "string")
    throw new MongoError(
      28808,
      `expected a string as the path for $unwind stage, got ${typeName(path)}`,
    );
  if (!path.startsWith("$"))
    throw new MongoError(
      28818,
      `path option to $unwind stage should be prefixed with a '$': ${path}`,
    );
  if (index !== undefined && (typeof index !== "string" || index === "" || index.startsWith("$"))) {
    throw new MongoError(
      28810,
      "expected a non-empty string without '$' for the includeArrayIndex option to $unwind stage",
    );
  }
  if (typeof preserve !== "boolean")
    throw new MongoError(
      28809,
      `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeName(preserve)}`,
    );
  const indexKeys = typeof index === "string" ? fieldPathKeys(index) : [undefined];
  if (indexKeys.length > 1)
    throw new MongoError("BadValue", "a dotted includeArrayIndex is not supported by this server");
  return { keys: fieldPathKeys(path.slice(1)), indexKey: indexKeys[0], preserve };
}

export const unwind: CompileStage = (operand, { checkTime }) => {
  const { keys, indexKey, preserve } = parseUnwind(operand);
  const withIndex = (document: Document, index: bigint | null): Document => {
    if (indexKey === undefined) return document;
    const copy = copyDocument(document);
    copy[indexKey] = index;
    return copy;
  };
  return function* run(documents) {
    for (const document of documents) {
      const value = valueAtPath(document, keys);
      if (Array.isArray(value) && value.length > 0) {
        for (const [index, element] of value.entries()) {
          checkTime?.();
          yield withIndex(replaceAtPath(document, keys, element), BigInt(index));
        }
      } else if (Array.isArray(value)) {
        if (preserve) yield withIndex(replaceAtPath(document, keys, undefined), null);
      } else if (preserve || (value !== undefined && value !== null)) {
        yield withIndex(document, null);
      }
    }
  };
};

/** Follows a path through documents only: $unwind does not follow arrays. */
function valueAtPath(document: Document, keys: readonly string[]): unknown {
  let value: unknown = document;
  for (const key of keys) value = isDocument(value) ? getField(value, key) : undefined;
  return value;
}

function replaceAtPath(document: Document, keys: readonly string[], value: unknown): Document {
  const [key, ...rest] = keys as [string, ...string[]];
  const copy = copyDocument(document);
  if (rest.length > 0) copy[key] = replaceAtPath(copy[key] as Document, rest, value);
  else if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}

/** Sets a field at a path that may be dotted, such as `as` of $lookup. */
export function setAtPath(document: Document, keys: readonly string[], value: unknown): Document {
  const [key, ...rest] = keys as [string, ...string[]];
  const copy = copyDocument(document);
  const inner = copy[key];
  copy[key] =
    rest.length === 0 ? value : setAtPath(isDocument(inner) ? inner : newDocument(), rest, value);
  return copy;
}
