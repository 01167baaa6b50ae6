import type { Buffer } from "node:buffer";
import { ObjectId } from "bson";
import { bsonType } from "../bson/raw-document.ts";
import { decodeDocument, encodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { compareBson, compileUpdate, upsertSeed } from "../semantics.ts";
import type { Update } from "../semantics.ts";
import type { Collection } from "../storage/collection.ts";
import type { Row } from "../query/stream.ts";
import type { CommandBody } from "./command-body.ts";

/** The `u` or `update` of a statement, compiled. */
export function compileUpdateOf(body: CommandBody, name: string, constants?: Document): Update {
  const update = body.value(name);
  const isPipeline = body.raw(name)?.type === bsonType.array;
  const arrayFilters = body.value("arrayFilters") as Document[] | undefined;
  if (arrayFilters !== undefined && (isPipeline || isReplacement(update as Document))) {
    throw new MongoError(
      "FailedToParse",
      "arrayFilters may not be specified for pipeline-style or replacement updates",
    );
  }
  return compileUpdate(update as Document | Document[], {
    ...(arrayFilters === undefined ? {} : { arrayFilters }),
    ...(constants === undefined ? {} : { constants }),
  });
}

export function isReplacement(update: unknown): boolean {
  if (Array.isArray(update)) return false;
  const first = Object.keys(update as Document)[0];
  return first === undefined || !first.startsWith("$");
}

export type Applied = { readonly document: Buffer; readonly changed: boolean };

/** Writes the changed document in the place of the old one. */
export function applyUpdate(
  collection: Collection,
  row: Row,
  update: Update,
  filter: Document,
  now: Date,
): Applied {
  const before = decodeDocument(row.document);
  const id = before["_id"];
  const after = update.apply(before, filter, false, now);
  if (compareBson(after["_id"], id) !== 0) {
    throw new MongoError(
      "ImmutableField",
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    );
  }
  const document = encodeDocument(after);
  if (document.equals(row.document)) return { document: row.document, changed: false };
  checkResultSize(document);
  collection.replace(row.rid, row.document, document);
  return { document, changed: true };
}

export type Upserted = { readonly document: Buffer; readonly id: unknown };

/** Inserts what an upsert makes of its filter and its update. */
export function insertUpsert(
  collection: Collection,
  update: Update,
  filter: Document,
  now: Date,
): Upserted {
  const made = update.apply(upsertSeed(filter), filter, true, now);
  const { _id: given, ...rest } = made;
  const id = given === undefined ? new ObjectId() : given;
  if (Array.isArray(id)) {
    throw new MongoError("BadValue", "The '_id' value cannot be of type array");
  }
  const document = encodeDocument({ _id: id, ...rest });
  checkResultSize(document);
  collection.insert(document);
  return { document, id };
}

function checkResultSize(document: Buffer): void {
  if (document.length > limits.documentBytesMax) {
    throw new MongoError(
      17419,
      `Resulting document after update is larger than ${limits.documentBytesMax}`,
    );
  }
}
