import type { Buffer } from "node:buffer";
import { DocumentBuilder } from "../../bson/document-builder.ts";
import { decodeDocument, encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { findRows } from "../../query/find-rows.ts";
import { compileProjection } from "../../semantics/index.ts";
import type { Call, Command } from "../command.ts";
import { refuseOptions, sortOf } from "../query-options.ts";
import { targetCollection } from "../target-collection.ts";
import { applyUpdate, compileStatementUpdate, insertUpsert } from "./update-statement.ts";
import { readFirstRow } from "./update.ts";

export const findAndModify: Command = {
  name: "findAndModify",
  kind: "write",
  usesOneCollection: true,
  retryable: true,
  allowedInTransactions: true,
  fields: {
    findAndModify: "string",
    findandmodify: "string",
    query: "object",
    sort: "object",
    remove: "bool",
    update: "objectOrArray",
    new: "bool",
    fields: "object",
    upsert: "bool",
    bypassDocumentValidation: "bool",
    collation: "object",
    arrayFilters: "array",
    hint: "stringOrObject",
    let: "object",
    stmtId: "number",
  },
  run(call) {
    const { body, retryable } = call;
    const statement = body.number("stmtId") ?? 0;
    const known = retryable?.outcome(statement)?.reply;
    if (known !== undefined) return known;
    refuseOptions(body, []);
    checkCombination(call);
    const reply = body.bool("remove") ? removeOne(call) : updateOne(call);
    retryable?.record(statement, { n: 1, reply });
    return reply;
  },
};

function checkCombination(call: Call): void {
  const { body } = call;
  const remove = body.bool("remove");
  if (remove === body.has("update")) {
    throw new MongoError(
      "FailedToParse",
      remove
        ? "Cannot specify both an update and remove=true"
        : "Either an update or remove=true must be specified",
    );
  }
  if (!remove) return;
  for (const name of ["upsert", "new"]) {
    if (body.bool(name)) {
      throw new MongoError(
        "FailedToParse",
        `Cannot specify both ${name}=true and remove=true ; 'remove' always returns the deleted document`,
      );
    }
  }
}

function findMatch(call: Call) {
  const { body, store } = call;
  const { db, name } = targetCollection(
    call,
    body.has("findAndModify") ? "findAndModify" : "findandmodify",
  );
  const collection = store.catalog.find(db, name);
  const rows = findRows(collection, {
    filter: body.bytes("query"),
    sort: sortOf(body, "sort"),
    hint: body.value("hint"),
    limit: 1,
    variables: body.document("let"),
    now: call.now,
    deadline: call.deadline,
  });
  return { db, name, collection, row: readFirstRow(rows)[0] };
}

function removeOne(call: Call): Buffer {
  const { collection, row } = findMatch(call);
  if (row !== undefined) collection?.remove(row.rid, row.document);
  const outcome = new DocumentBuilder().int("n", row === undefined ? 0 : 1).build();
  return replyOf(call, outcome, row?.document);
}

function updateOne(call: Call): Buffer {
  const { body, store, now } = call;
  let decoded: Document | undefined;
  const filter = () => (decoded ??= body.document("query") ?? {});
  const update = compileStatementUpdate(body, "update", body.document("let"));
  const { db, name, collection, row } = findMatch(call);
  const wantsNew = body.bool("new");
  const { recentUpserts } = call.server;
  const isOverlooked =
    body.bool("upsert") &&
    row !== undefined &&
    recentUpserts?.isOverlooked(collection!, row.rid) === true;
  if (row !== undefined && collection !== undefined && !isOverlooked) {
    const { document } = applyUpdate(collection, row, update, filter, now);
    return replyOf(call, updatedOne, wantsNew ? document : row.document);
  }
  if (!body.bool("upsert")) return replyOf(call, updatedNone, undefined);
  const target = store.catalog.findOrCreate(db, name);
  const created = insertUpsert(target, update, filter(), now);
  recentUpserts?.recordInsert(target, created.rid);
  const outcome = encodeDocument({ n: 1, updatedExisting: false, upserted: created.id });
  return replyOf(call, outcome, wantsNew ? created.document : undefined);
}

const updatedOne = new DocumentBuilder().int("n", 1).boolean("updatedExisting", true).build();
const updatedNone = new DocumentBuilder().int("n", 0).boolean("updatedExisting", false).build();

function replyOf(call: Call, outcome: Buffer, document: Buffer | undefined): Buffer {
  const reply = new DocumentBuilder().document("lastErrorObject", outcome);
  if (document === undefined) reply.null("value");
  else reply.document("value", projectDocument(call, document));
  return reply.int("ok", 1).build();
}

function projectDocument(call: Call, document: Buffer): Buffer {
  const { body, now } = call;
  const projection = body.document("fields");
  if (projection === undefined || Object.keys(projection).length === 0) return document;
  const options = { variables: body.document("let"), now };
  const project = compileProjection(projection, body.document("query") ?? {}, options);
  return encodeDocument(project(decodeDocument(document)));
}
