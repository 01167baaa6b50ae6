import type { Document } from "./bson/values.ts";

export * from "./semantics/index.ts";

export function compileProjection(
  _projection: Document,
  _filter: Document,
): (document: Document) => Document {
  return (document) => document;
}
