import type { Buffer } from "node:buffer";
import type { Document } from "../bson/values.ts";
import { decodeDocument } from "../bson/values.ts";
import { compileFilter } from "../semantics/index.ts";

/** Whether a document belongs in a partial index. */
export function partialFilterMatcher(filter: Document): (document: Buffer) => boolean {
  const compiled = compileFilter(filter);
  return (document) => compiled.matches(decodeDocument(document));
}
