import { Double, Int32, Long, Timestamp } from "bson";
import { type Document, fieldKey, fieldName, isDocument, newDocument } from "./document.ts";
import { double } from "./numbers.ts";

/**
 * The form in memory (see `document.ts` and `numbers.ts`) of a value that may hold the number
 * classes a driver makes. What `decode` gives is already in this form.
 */
export function canonical(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  if (value instanceof Int32) return value.value;
  // A Timestamp is a Long by class, but no number.
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
