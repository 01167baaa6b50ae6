/**
 * A BSON document in memory: a plain object whose own fields are in BSON order.
 *
 * JavaScript moves integer-like names to the front of an object, and a few names have a special
 * meaning. Only those names are stored with a NUL prefix, which no BSON name can contain. Every
 * name from outside must pass `fieldKey` before it indexes a document, and every name that becomes
 * a value must pass `fieldName`.
 */
export type Document = { [field: string]: unknown };

const mark = "\u0000";
const integerLike = /^(?:0|[1-9]\d{0,9})$/;
const reserved = new Set(["__proto__", "_bsontype", "toBSON"]);

export function fieldKey(name: string): string {
  const first = name.charCodeAt(0);
  if (first >= 48 && first <= 57) return integerLike.test(name) ? mark + name : name;
  return (first === 95 || first === 116) && reserved.has(name) ? mark + name : name;
}

export function fieldName(key: string): string {
  return key.charCodeAt(0) === 0 ? key.slice(1) : key;
}

/** Documents inherit nothing, so a lookup finds only fields of the document. */
const Bare = function Bare() {} as unknown as { new (): Document; prototype: object };
Bare.prototype = Object.create(null) as object;

export function newDocument(): Document {
  return new Bare();
}

/** A shallow copy: same fields, same order. */
export function copyDocument(source: Document): Document {
  const copy = new Bare();
  for (const key in source) {
    const value = source[key];
    if (typeof value !== "function") copy[key] = value;
  }
  return copy;
}

/** The value of a field, `undefined` when missing. `key` is a `fieldKey`. */
export function getField(document: Document, key: string): unknown {
  const value = document[key];
  return typeof value === "function" ? undefined : value;
}

/** Whether a value is an embedded document (not an array, date or BSON type of its own). */
export function isDocument(value: unknown): value is Document {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    (value as Document)["_bsontype"] === undefined &&
    !(value instanceof Date) &&
    !(value instanceof RegExp) &&
    !(value instanceof Uint8Array)
  );
}
