import type { Buffer } from "node:buffer";
import { ObjectId } from "bson";
import { partOf, withPart } from "../bson/part-of-document.ts";
import { decodeDocument, encodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { compileUpdate, withIdFirst } from "../semantics/index.ts";
import type { Update, UpdateContext } from "../semantics/index.ts";
import type { Collection } from "../storage/collection.ts";
import type { Row } from "../query/stream.ts";
import type { CommandBody } from "./command-body.ts";
import { plainUpdateOf } from "./plain-update.ts";
import type { PlainUpdate } from "./plain-update.ts";

/** An update as it came in a statement. */
export type StatementUpdate = Update & { readonly plain?: PlainUpdate };

/** The `u` or `update` of a statement, compiled: what a plain one does not need, when it is needed. */
export function compileUpdateOf(
  body: CommandBody,
  name: string,
  variables?: Document,
): StatementUpdate {
  const raw = body.has("arrayFilters") ? undefined : body.raw(name);
  const plain = raw && plainUpdateOf(raw);
  if (plain === undefined) return compileWhole(body, name, variables);
  let whole: Update | undefined;
  const compiled = () => (whole ??= compileWhole(body, name, variables));
  return {
    kind: "operators",
    plain,
    touches: undefined,
    changes: plain.changes,
    apply: (document, context) => compiled().apply(document, context),
    insert: (filter, now) => compiled().insert(filter, now),
  };
}

function compileWhole(body: CommandBody, name: string, variables?: Document): Update {
  const update = body.value(name);
  const arrayFilters = body.value("arrayFilters") as Document[] | undefined;
  return compileUpdate(update as Document | Document[], { arrayFilters, variables });
}

export type Applied = { readonly document: Buffer; readonly changed: boolean };

/** Writes the changed document in the place of the old one. */
export function applyUpdate(
  collection: Collection,
  row: Row,
  update: StatementUpdate,
  filter: () => Document,
  now: Date,
): Applied {
  const context: UpdateContext = {
    get filter() {
      return filter();
    },
    isInsert: false,
    now,
  };
  const document = changedBy(update, row.document, context);
  if (document.equals(row.document)) return { document: row.document, changed: false };
  checkResultSize(document);
  collection.replace(row.rid, row.document, document, update.changes);
  return { document, changed: true };
}

/** What the update touches is all that is decoded, where that can be said. */
export function changedBy(
  update: StatementUpdate,
  document: Buffer,
  context: UpdateContext,
): Buffer {
  const replaced = update.plain?.apply(document);
  if (replaced !== undefined) return replaced;
  const { touches } = update;
  const part = touches && partOf(document, touches);
  const before = decodeDocument(part ?? document);
  const after = update.apply(before, context);
  if (after === before) return document;
  const encoded = encodeDocument(after);
  return (touches && part && withPart(document, touches, encoded)) ?? encoded;
}

export type Upserted = { readonly document: Buffer; readonly id: unknown; readonly rid: number };

/** Inserts what an upsert makes of its filter and its update. */
export function insertUpsert(
  collection: Collection,
  update: Update,
  filter: Document,
  now: Date,
): Upserted {
  const made = update.insert(filter, now);
  if (made["_id"] === undefined) made["_id"] = new ObjectId();
  const id = made["_id"];
  const document = encodeDocument(withIdFirst(made));
  checkResultSize(document);
  const rid = collection.insert(document);
  return { document, id, rid };
}

function checkResultSize(document: Buffer): void {
  if (document.length > limits.documentBytesMax) {
    throw new MongoError(
      17419,
      `Resulting document after update is larger than ${limits.documentBytesMax}`,
    );
  }
}
