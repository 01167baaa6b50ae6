import { MongoError } from "./errors.ts";
import type { Document } from "./bson/values.ts";

export { compareBson, compileFilter, compileSort } from "./semantics/index.ts";

export type UpdateOptions = {
  readonly arrayFilters?: readonly Document[];
  readonly constants?: Document;
};
export type Update = {
  apply(document: Document, filter: Document, isInsert: boolean, now: Date): Document;
};

export function compileUpdate(
  update: Document | readonly Document[],
  _options: UpdateOptions,
): Update {
  return {
    apply: (document, _filter, isInsert) => {
      if (Array.isArray(update)) throw new MongoError("BadValue", "pipelines not yet");
      const changes = update as Document;
      const names = Object.keys(changes);
      if (!names.some((name) => name.startsWith("$"))) {
        return "_id" in document ? { _id: document["_id"], ...changes } : changes;
      }
      const result = { ...document };
      for (const [operator, fields] of Object.entries(changes)) {
        for (const [path, value] of Object.entries(fields as Document)) {
          if (operator === "$set" || (operator === "$setOnInsert" && isInsert))
            result[path] = value;
          else if (operator === "$unset") delete result[path];
          else if (operator === "$inc") result[path] = Number(result[path] ?? 0) + Number(value);
          else if (operator !== "$setOnInsert")
            throw new MongoError("FailedToParse", `Unknown modifier: ${operator}`);
        }
      }
      return result;
    },
  };
}

export function upsertSeed(filter: Document): Document {
  return Object.fromEntries(Object.entries(filter).filter(([name]) => !name.startsWith("$")));
}

export function compileProjection(
  _projection: Document,
  _filter: Document,
): (document: Document) => Document {
  return (document) => document;
}
