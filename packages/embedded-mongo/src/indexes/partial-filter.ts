import type { Buffer } from "node:buffer";
import { bsonType } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { decodeDocument, decodeValue, type Document, rawValueOf } from "../document-codec.ts";
import { isExact, isNaNValue } from "./exact-values.ts";
import { compileFilter } from "../semantics/index.ts";
import { indexField } from "./definition.ts";
import { valueAtPath } from "./key-extraction.ts";
import { encodeKey, KeyWriter, orderOfType } from "./key-writer.ts";

/** Decides which documents belong in a partial index. */
export interface PartialFilter {
  /** The top-level fields that the filter reads; undefined if they are not known. */
  readonly names: ReadonlySet<string> | undefined;
  /** `top` holds the document's fields of these names. */
  readonly covers: (document: Buffer, top: ReadonlyMap<string, RawValue>) => boolean;
}

export function partialFilterOf(filter: Document): PartialFilter {
  const compiled = compileFilter(filter);
  const names = namesIn(filter);
  if (names === undefined) {
    return { names, covers: (document) => compiled.matches(decodeDocument(document)) };
  }
  // This runs on every write of every document. Most filters are decided on the bytes. For the
  // others only the fields that the filter reads are decoded.
  const rawTests = Object.entries(filter).map(([path, condition]) => rawTestFor(path, condition));
  return {
    names,
    covers: (_document, top) => {
      let isUnknown = false;
      for (const test of rawTests) {
        const answer = test(top);
        if (answer === false) return false;
        isUnknown ||= answer === "unknown";
      }
      if (!isUnknown) return true;
      const seen: Document = {};
      for (const name of names) {
        const value = top.get(name);
        if (value !== undefined) seen[name] = decodeValue(value);
      }
      return compiled.matches(seen);
    },
  };
}

type RawTest = (top: ReadonlyMap<string, RawValue>) => boolean | "unknown";

const writer = new KeyWriter();

/** Tests the common conditions on bytes: `$exists: true`, and `$gt` with one value. */
function rawTestFor(path: string, condition: unknown): RawTest {
  const field = indexField(path, false);
  const operators = Object.entries((condition ?? {}) as Document);
  const [operator, operand] = operators.length === 1 ? (operators[0] ?? []) : [];
  const bound = operator === "$gt" ? keyOf(operand) : undefined;
  const isPresence = operator === "$exists" && operand === true;
  if (path.startsWith("$") || (!isPresence && bound === undefined)) return () => "unknown";
  return (top) => {
    const value = valueAtPath(field, top);
    if (value === undefined) return false;
    // The array may be on the path and not at its end.
    if (value.type === bsonType.array && field.components.length > 1) return "unknown";
    if (bound === undefined) return true;
    if (value.type === bsonType.null) return false;
    return isExact(value) ? isGreater(value, bound) : "unknown";
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
  return writer.copyBytes().compare(bound) > 0;
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
