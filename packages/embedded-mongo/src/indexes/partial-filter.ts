import type { Buffer } from "node:buffer";
import { bsonType } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { decodeDocument, decodeValue, type Document, rawValueOf } from "../bson/values.ts";
import { isExact, isNaNValue } from "../planner/exact-values.ts";
import { compileFilter } from "../semantics/index.ts";
import { indexField } from "./definition.ts";
import { reachedBy } from "./key-extraction.ts";
import { encodeKey, KeyWriter, orderOfType } from "./key-writer.ts";

/** Which documents belong in a partial index. */
export interface PartialFilter {
  /** The top-level fields that it looks at; undefined when that cannot be told. */
  readonly names: ReadonlySet<string> | undefined;
  /** `top` has the fields of those names, as far as the document has them. */
  readonly covers: (document: Buffer, top: ReadonlyMap<string, RawValue>) => boolean;
}

export function partialFilterOf(filter: Document): PartialFilter {
  const compiled = compileFilter(filter);
  const names = namesIn(filter);
  if (names === undefined) {
    return { names, covers: (document) => compiled.matches(decodeDocument(document)) };
  }
  // Every write of every document asks this: most answers are seen in the bytes, and of the others
  // only what the filter looks at is decoded.
  const looks = Object.entries(filter).map(([path, condition]) => lookAt(path, condition));
  return {
    names,
    covers: (_document, top) => {
      let isUnclear = false;
      for (const look of looks) {
        const answer = look(top);
        if (answer === false) return false;
        isUnclear ||= answer === "unclear";
      }
      if (!isUnclear) return true;
      const seen: Document = {};
      for (const name of names) {
        const value = top.get(name);
        if (value !== undefined) seen[name] = decodeValue(value);
      }
      return compiled.matches(seen);
    },
  };
}

type Look = (top: ReadonlyMap<string, RawValue>) => boolean | "unclear";

const writer = new KeyWriter();

/** What the usual conditions, `$exists: true` and `$gt` of one value, say of a document's bytes. */
function lookAt(path: string, condition: unknown): Look {
  const field = indexField(path, false);
  const operators = Object.entries((condition ?? {}) as Document);
  const [operator, operand] = operators.length === 1 ? (operators[0] ?? []) : [];
  const bound = operator === "$gt" ? keyOf(operand) : undefined;
  const isPresence = operator === "$exists" && operand === true;
  if (path.startsWith("$") || (!isPresence && bound === undefined)) return () => "unclear";
  return (top) => {
    const value = reachedBy(field, top);
    if (value === undefined) return false;
    // It may be on the way only.
    if (value.type === bsonType.array && field.components.length > 1) return "unclear";
    if (bound === undefined) return true;
    if (value.type === bsonType.null) return false;
    return isExact(value) ? isGreater(value, bound) : "unclear";
  };
}

function keyOf(operand: unknown): Buffer | undefined {
  const value = rawValueOf(operand);
  return isExact(value) && !isNaNValue(value) ? encodeKey(operand) : undefined;
}

/** Comparisons do not cross types. */
function isGreater(value: RawValue, bound: Buffer): boolean {
  if (orderOfType[value.type] !== bound[0]) return false;
  writer.reset();
  writer.value(value);
  return writer.take().compare(bound) > 0;
}

const combining = new Set(["$and", "$or", "$nor"]);

function namesIn(filter: Document): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const [key, condition] of Object.entries(filter)) {
    if (!key.startsWith("$")) {
      names.add(key.split(".")[0] ?? "");
      continue;
    }
    if (!combining.has(key) || !Array.isArray(condition)) return undefined;
    for (const clause of condition as Document[]) {
      const within = namesIn(clause);
      if (within === undefined) return undefined;
      for (const name of within) names.add(name);
    }
  }
  return names;
}
