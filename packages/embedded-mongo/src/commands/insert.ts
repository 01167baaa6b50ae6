import { Buffer } from "node:buffer";
import { ObjectId } from "bson";
import { FieldNames } from "../bson/field-names.ts";
import { bsonType, bsonTypeName, ElementCursor } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Document } from "../bson/values.ts";
import type { Collection } from "../storage/collection.ts";
import { LaterEntries } from "../storage/later-entries.ts";
import type { Command } from "./command.ts";
import { requireField } from "./command-body.ts";
import { withTimestamps } from "./empty-timestamps.ts";
import type { StatementOutcome } from "./retryable-write.ts";
import { collectionNamed, statementIds } from "./target.ts";
import { runStatements } from "./write-outcome.ts";

const inserted: StatementOutcome = { n: 1 };

export const insert: Command = {
  name: "insert",
  kind: "write",
  withinOne: true,
  retryable: true,
  inTransactions: true,
  fields: {
    insert: "string",
    documents: "array",
    ordered: "bool",
    bypassDocumentValidation: "bool",
    stmtId: "number",
    stmtIds: "array",
  },
  run(call) {
    const { body, store, retryable } = call;
    const { db, name } = collectionNamed(call, "insert");
    const documents = body.documents("documents");
    requireField(body.has("documents") ? true : undefined, "insert", "documents");
    checkBatchSize(documents.length);
    const ordered = !body.has("ordered") || body.bool("ordered");
    const ids = statementIds(body);
    let collection: Collection | undefined;
    const later = new LaterEntries();
    let n = 0;
    const insertOne = (i: number): void => {
      if (retryable?.outcome(ids(i)) === undefined) {
        const document = withTimestamps(withId(documents[i]!), call.now);
        collection ??= store.catalog.findOrCreate(db, name);
        collection.insert(document, later);
        retryable?.record(ids(i), inserted);
      }
      n++;
    };
    let writeErrors: Document[];
    try {
      writeErrors = runStatements(documents.length, ordered, insertOne);
    } finally {
      later.addAll();
    }
    return writeErrors.length === 0 ? { n, ok: 1 } : { n, writeErrors, ok: 1 };
  },
};

export function checkBatchSize(count: number): void {
  if (count === 0 || count > limits.writeBatchMax) {
    throw new MongoError(
      "InvalidLength",
      `Write batch sizes must be between 1 and ${limits.writeBatchMax}. Got ${count} operations.`,
    );
  }
}

const idNames = new FieldNames(["_id"]);

/** With an `_id`, as its first field. Refuses what may not be stored. */
export function withId(document: Buffer): Buffer {
  checkSize(document.length);
  const cursor = new ElementCursor(document);
  let first = true;
  while (cursor.next()) {
    if (idNames.at(cursor) !== undefined) {
      checkId(cursor.value);
      return first ? document : idFirst(document, cursor.nameStart - 1, cursor.end);
    }
    first = false;
  }
  const id = Buffer.from([0x07, 0x5f, 0x69, 0x64, 0x00, ...new ObjectId().id]);
  const sized = Buffer.concat([document.subarray(0, 4), id, document.subarray(4)]);
  sized.writeInt32LE(sized.length, 0);
  return sized;
}

function checkId(value: RawValue): void {
  const { type } = value;
  if (type === bsonType.array || type === bsonType.regex) {
    throw new MongoError("BadValue", `The '_id' value cannot be of type ${bsonTypeName[type]}`);
  }
  if (type !== bsonType.object) return;
  const fields = new ElementCursor(value.bytes, value.start, value.end);
  while (fields.next()) {
    if (fields.name.startsWith("$")) {
      throw new MongoError(
        "DollarPrefixedFieldName",
        `_id fields may not contain '$'-prefixed fields: ${fields.name} is not valid for storage.`,
      );
    }
  }
}

function idFirst(document: Buffer, start: number, end: number): Buffer {
  return Buffer.concat([
    document.subarray(0, 4),
    document.subarray(start, end),
    document.subarray(4, start),
    document.subarray(end),
  ]);
}

function checkSize(bytes: number): void {
  if (bytes > limits.documentBytesMax) {
    throw new MongoError(
      "BSONObjectTooLarge",
      `object to insert too large. size in bytes: ${bytes}, max size: ${limits.documentBytesMax}`,
    );
  }
}
