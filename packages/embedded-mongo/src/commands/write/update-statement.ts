import type { Buffer } from "node:buffer";
import { ObjectId } from "bson";
import { selectFields, replaceFields } from "../../bson/part-of-document.ts";
import { decodeDocument, encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import { compileUpdate, withIdFirst } from "../../semantics/index.ts";
import type { Update, UpdateContext } from "../../semantics/index.ts";
import type { Collection } from "../../storage/collections/collection.ts";
import type { Row } from "../../query/stream.ts";
import type { CommandBody } from "../command-body.ts";
import { compileRawUpdate } from "./raw-update/raw-update.ts";
import type { RawUpdate } from "./raw-update/raw-update.ts";

/** The compiled update of a statement. */
export type StatementUpdate = Update & { readonly rawUpdate?: RawUpdate };

/**
 * Compiles the `u` or `update` of a statement. With a raw update, the full update is compiled only
 * when it is needed.
 */
export function compileStatementUpdate(
  body: CommandBody,
  name: string,
  variables?: Document,
): StatementUpdate {
  const raw = body.has("arrayFilters") ? undefined : body.raw(name);
  const rawUpdate = raw && compileRawUpdate(raw);
  if (rawUpdate === undefined) return compileFully(body, name, variables);
  let full: Update | undefined;
  const compiled = () => (full ??= compileFully(body, name, variables));
  return {
    kind: "operators",
    rawUpdate,
    touches: undefined,
    changes: rawUpdate.changes,
    apply: (document, context) => compiled().apply(document, context),
    insert: (filter, now) => compiled().insert(filter, now),
  };
}

function compileFully(body: CommandBody, name: string, variables?: Document): Update {
  const update = body.value(name);
  const arrayFilters = body.value("arrayFilters") as Document[] | undefined;
  return compileUpdate(update as Document | Document[], { arrayFilters, variables });
}

export type AppliedUpdate = { readonly document: Buffer; readonly changed: boolean };

/** Computes the updated document and stores it if it differs. */
export function applyUpdate(
  collection: Collection,
  row: Row,
  update: StatementUpdate,
  filter: () => Document,
  now: Date,
): AppliedUpdate {
  const context: UpdateContext = {
    get filter() {
      return filter();
    },
    isInsert: false,
    now,
  };
  const document = computeUpdated(update, row.document, context);
  if (document.equals(row.document)) return { document: row.document, changed: false };
  checkResultSize(document);
  collection.replace(row.rid, row.document, document, update.changes);
  return { document, changed: true };
}

/** Decodes only the fields that the update touches, if they are known. */
export function computeUpdated(
  update: StatementUpdate,
  document: Buffer,
  context: UpdateContext,
): Buffer {
  const replaced = update.rawUpdate?.apply(document);
  if (replaced !== undefined) return replaced;
  const { touches } = update;
  const partial = touches && selectFields(document, touches);
  const before = decodeDocument(partial ?? document);
  const after = update.apply(before, context);
  if (after === before) return document;
  const encoded = encodeDocument(after);
  return (touches && partial && replaceFields(document, touches, encoded)) ?? encoded;
}

export type UpsertResult = {
  readonly document: Buffer;
  readonly id: unknown;
  readonly rid: number;
};

/** Inserts the document that an upsert builds from its filter and its update. */
export function insertUpsert(
  collection: Collection,
  update: Update,
  filter: Document,
  now: Date,
): UpsertResult {
  const created = update.insert(filter, now);
  if (created["_id"] === undefined) created["_id"] = new ObjectId();
  const id = created["_id"];
  const document = encodeDocument(withIdFirst(created));
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
