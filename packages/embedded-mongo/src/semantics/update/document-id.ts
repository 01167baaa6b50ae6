import { MongoError } from "../../errors.ts";
import { equalBson } from "../values/comparison/compare.ts";
import { type Document, getField, newDocument } from "../values/document.ts";
import { typeName } from "../values/types.ts";

/** Refuses a change of `_id`. For an insert, any valid id is allowed. */
export function checkIdUnchanged(before: Document, after: Document, isInsert: boolean): void {
  const id = getField(before, "_id");
  const next = getField(after, "_id");
  if (id === next) return;
  if (id !== undefined && !equalBson(id, next)) {
    throw new MongoError(
      "ImmutableField",
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    );
  }
  if (id === undefined && !isInsert) {
    throw new MongoError(
      "ImmutableField",
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    );
  }
  const type = typeName(next);
  if (type === "array" || type === "regex") {
    throw new MongoError(53, `The '_id' value cannot be of type ${type}`);
  }
}

/** MongoDB stores `_id` first. */
export function withIdFirst(document: Document): Document {
  const id = getField(document, "_id");
  if (id === undefined || Object.keys(document)[0] === "_id") return document;
  const ordered = newDocument();
  ordered["_id"] = id;
  for (const key of Object.keys(document)) if (key !== "_id") ordered[key] = document[key];
  return ordered;
}
