import { MongoError } from "../../errors.ts";
import { isOperatorDocument } from "../filter/operators.ts";
import { canonicalDocument } from "../values/canonical.ts";
import { type Document, fieldKey, fieldName, isDocument, newDocument } from "../values/document.ts";
import { typeName } from "../values/types.ts";

const notSingleValueField = 54;

/** The start document of an upsert: the fields that the filter fixes to one value. */
export function upsertSeed(filter: Document): Document {
  const equalities = new Map<string, unknown>();
  collect(canonicalDocument(filter), equalities);
  const seed = newDocument();
  for (const [path, value] of equalities) {
    refusePrefix(path, equalities);
    place(seed, path.split("."), value);
  }
  return seed;
}

function collect(filter: Document, equalities: Map<string, unknown>): void {
  for (const key of Object.keys(filter)) {
    const name = fieldName(key);
    const operand = filter[key];
    if (name === "$and" || (name === "$or" && Array.isArray(operand) && operand.length === 1)) {
      // An invalid list of filters is refused when the filter is compiled.
      const clauses: readonly unknown[] = Array.isArray(operand) ? operand : [];
      for (const clause of clauses) if (isDocument(clause)) collect(clause, equalities);
    } else if (!name.startsWith("$")) {
      for (const value of equalTo(operand)) addEquality(name, value, equalities);
    }
  }
}

function addEquality(path: string, value: unknown, equalities: Map<string, unknown>): void {
  if (equalities.has(path)) {
    throw new MongoError(
      notSingleValueField,
      `cannot infer query fields to set, path '${path}' is matched twice`,
    );
  }
  equalities.set(path, value);
}

function equalTo(operand: unknown): readonly unknown[] {
  if (!isOperatorDocument(operand)) return typeName(operand) === "regex" ? [] : [operand];
  return Object.keys(operand).flatMap((operator) => {
    const value = operand[operator];
    if (operator === "$eq") return [value];
    if (operator !== "$all" || !Array.isArray(value) || value.length !== 1) return [];
    return isOperatorDocument(value[0]) || typeName(value[0]) === "regex"
      ? []
      : [value[0] as unknown];
  });
}

function refusePrefix(path: string, equalities: ReadonlyMap<string, unknown>): void {
  for (const other of equalities.keys()) {
    if (!path.startsWith(`${other}.`)) continue;
    throw new MongoError(
      notSingleValueField,
      `cannot infer query fields to set, both paths '${other}' and '${path}' are matched`,
    );
  }
}

function place(document: Document, names: readonly string[], value: unknown): void {
  const key = fieldKey(names[0] as string);
  if (names.length === 1) {
    document[key] = value;
    return;
  }
  const inner = document[key];
  const next = isDocument(inner) ? inner : newDocument();
  document[key] = next;
  place(next, names.slice(1), value);
}
