import { Double, Int32, Long, Timestamp } from "bson";
import { type Document, fieldKey, fieldName, isDocument, newDocument } from "./document.ts";
import { double } from "./numbers/numbers.ts";

/**
 * Converts a value that may contain the number classes of a driver to the form in memory (see
 * `document.ts` and `numbers/numbers.ts`). `decode` already returns this form.
 */
export function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  if (value instanceof Int32) return value.value;
  // A Timestamp is a subclass of Long, but not a number.
  if (value instanceof Long && !(value instanceof Timestamp)) return value.toBigInt();
  if (value instanceof Double) return double(value.value);
  return isDocument(value) ? canonicalDocument(value) : value;
}

export function canonicalDocument(document: Document): Document {
  const copy = newDocument();
  for (const key of Object.keys(document)) {
    copy[fieldKey(fieldName(key))] = canonical(document[key]);
  }
  return copy;
}
