import { MongoError } from "../../errors.ts";
import { isDocument } from "./document.ts";

/** The nesting limit of stored documents in MongoDB. */
export const storedDepthMax = 180;
/** The nesting limit of replies in MongoDB. */
export const answeredDepthMax = 200;

/**
 * Returns the levels of documents and arrays in a value: 0 for a scalar, 1 for a flat document.
 * Throws beyond `most`, because a value that cannot be read back must not be stored or returned.
 */
export function boundedDepth(value: unknown, most: number): number {
  return measure(value, most, new Map());
}

/** An expression can use one value many times in a document. Each value is measured once. */
function measure(value: unknown, most: number, known: Map<object, number>): number {
  if (!Array.isArray(value) && !isDocument(value)) return 0;
  const before = known.get(value) ?? 0;
  if (before > most || most < 1) {
    throw new MongoError("Overflow", "BSONObj exceeds maximum nested object depth");
  }
  if (before > 0) return before;
  let deepest = 0;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const one of inner) {
    if (typeof one === "object") deepest = Math.max(deepest, measure(one, most - 1, known));
  }
  known.set(value, deepest + 1);
  return deepest + 1;
}
