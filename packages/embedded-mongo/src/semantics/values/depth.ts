import { MongoError } from "../../errors.ts";
import { type Document, isDocument } from "./document.ts";

/** MongoDB's limit of nesting in a stored document. */
export const depthMax = 200;

/** Levels of documents and arrays in a value: 0 for a scalar, 1 for a flat document. */
export function depthOf(value: unknown): number {
  let deepest = 0;
  if (Array.isArray(value)) {
    for (const element of value) deepest = Math.max(deepest, depthOf(element));
    return deepest + 1;
  }
  if (!isDocument(value)) return 0;
  for (const key of Object.keys(value)) deepest = Math.max(deepest, depthOf(value[key]));
  return deepest + 1;
}

/** What could not be read back must not be stored. */
export function refuseDeep(document: Document): void {
  if (depthOf(document) > depthMax) {
    throw new MongoError("Overflow", `BSONObj exceeds maximum nested object depth: ${depthMax}`);
  }
}
