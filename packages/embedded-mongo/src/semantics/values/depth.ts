import { MongoError } from "../../errors.ts";
import { isDocument } from "./document.ts";

/** Nesting that MongoDB stores. */
export const storedDepthMax = 180;
/** Nesting that MongoDB answers with. */
export const answeredDepthMax = 200;

/**
 * Levels of documents and arrays in a value: 0 for a scalar, 1 for a flat document. More than `most`
 * is refused: what could not be read back must not be stored or answered.
 */
export function boundedDepth(value: unknown, most: number): number {
  return measure(value, most, new Map());
}

/** Expressions can put one value into a document many times over; it is measured once. */
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
