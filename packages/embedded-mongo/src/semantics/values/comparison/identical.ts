import { equalBson } from "./compare.ts";
import { type Document, isDocument } from "../document.ts";
import { typeName } from "../types.ts";

/**
 * Whether two values are the same BSON: equal, of the same types, with fields in the same order.
 */
export function identicalBson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, index) => identicalBson(value, b[index]))
    );
  }
  if (isDocument(a)) return isDocument(b) && identicalDocuments(a, b);
  const type = typeName(a);
  if (type !== typeName(b)) return false;
  // Equal decimals can differ in their digits: 1.0 is not identical to 1.00.
  if (type === "decimal") return String(a) === String(b);
  if (type === "double") return Object.is(Number(a), Number(b));
  return equalBson(a, b);
}

function identicalDocuments(a: Document, b: Document): boolean {
  const keysA = Object.keys(a);
  const keysB = Object.keys(b);
  return (
    keysA.length === keysB.length &&
    keysA.every((key, index) => key === keysB[index] && identicalBson(a[key], b[key]))
  );
}
