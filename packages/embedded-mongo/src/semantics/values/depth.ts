import { MongoError } from "../../errors.ts";
import { type Document, isDocument } from "./document.ts";

/** Nesting that MongoDB stores; what it reads in a message may be 20 levels deeper. */
export const storedDepthMax = 180;

/** Levels of documents and arrays in a value: 0 for a scalar, 1 for a flat document. */
export function depthOf(value: unknown): number {
  return measure(value, new Map());
}

/** Expressions can put one value into a document many times over; it is measured once. */
function measure(value: unknown, known: Map<object, number>): number {
  if (!Array.isArray(value) && !isDocument(value)) return 0;
  const before = known.get(value);
  if (before !== undefined) return before;
  let deepest = 0;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const one of inner) deepest = Math.max(deepest, measure(one, known));
  known.set(value, deepest + 1);
  return deepest + 1;
}

/** What could not be read back must not be stored. */
export function refuseDeep(document: Document): void {
  if (depthOf(document) > storedDepthMax) {
    throw new MongoError(
      "Overflow",
      `Document exceeds maximum nested object depth: ${storedDepthMax}`,
    );
  }
}
