import { MongoError } from "../../errors.ts";
import { canonicalDocument } from "../values/canonical.ts";
import { equalBson } from "../values/comparison/compare.ts";
import { copyDocument, type Document, fieldName, getField } from "../values/document.ts";
import { identicalBson } from "../values/comparison/identical.ts";
import { withTimestamps } from "../values/server-timestamp.ts";
import { shellText } from "../values/shell-text.ts";
import { withIdFirst } from "./document-id.ts";
import type { ApplyUpdate } from "./compile.ts";

/** Replaces the document. `_id` is kept if the replacement has none. */
export function compileReplacement(given: Document): ApplyUpdate {
  const replacement = canonicalDocument(given);
  const operator = Object.keys(replacement).find((key) => fieldName(key).startsWith("$"));
  if (operator !== undefined) {
    throw new MongoError(
      "DollarPrefixedFieldName",
      `The dollar ($) prefixed field '${operator}' in '${operator}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    );
  }
  return (document, { now }) => replaceDocument(document, withTimestamps(replacement, now));
}

export function replaceDocument(document: Document, replacement: Document): Document {
  const id = getField(document, "_id");
  const newId = getField(replacement, "_id");
  if (id !== undefined && newId !== undefined && !equalBson(id, newId)) {
    throw new MongoError(
      "ImmutableField",
      `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${shellText(newId)}`,
    );
  }
  const next = copyDocument(replacement);
  if (id !== undefined) next["_id"] = id;
  const ordered = withIdFirst(next);
  return identicalBson(ordered, document) ? document : ordered;
}
