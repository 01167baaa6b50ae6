import type { Buffer } from "node:buffer";
import { decodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { findRows } from "../query/find-rows.ts";
import { compileProjection } from "../semantics.ts";
import type { Call, Command } from "./command.ts";
import { refuseOptions, sortOf } from "./query-options.ts";
import { collectionNamed } from "./target.ts";
import { applyUpdate, compileUpdateOf, insertUpsert } from "./update-statement.ts";
import { firstOf } from "./update.ts";

export const findAndModify: Command = {
  name: "findAndModify",
  kind: "write",
  retryable: true,
  inTransactions: true,
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

function matching(call: Call) {
  const { body, store } = call;
  const { db, name } = collectionNamed(
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
  return { db, name, collection, row: firstOf(rows)[0] };
}

function removeOne(call: Call): Document {
  const { collection, row } = matching(call);
  if (row !== undefined) collection?.remove(row.rid, row.document);
  return {
    lastErrorObject: { n: row === undefined ? 0 : 1 },
    value: shown(call, row?.document),
    ok: 1,
  };
}

function updateOne(call: Call): Document {
  const { body, store, now } = call;
  const filter = body.document("query") ?? {};
  const update = compileUpdateOf(body, "update", body.document("let"));
  const { db, name, collection, row } = matching(call);
  const wantsNew = body.bool("new");
  const { recentUpserts } = call.server;
  const unseen =
    body.bool("upsert") &&
    row !== undefined &&
    recentUpserts?.unseen(collection!, row.rid) === true;
  if (row !== undefined && collection !== undefined && !unseen) {
    const { document } = applyUpdate(collection, row, update, filter, now);
    return {
      lastErrorObject: { n: 1, updatedExisting: true },
      value: shown(call, wantsNew ? document : row.document),
      ok: 1,
    };
  }
  if (!body.bool("upsert")) {
    return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  }
  const target = store.catalog.findOrCreate(db, name);
  const created = insertUpsert(target, update, filter, now);
  recentUpserts?.inserted(target, created.rid);
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: created.id },
    value: wantsNew ? shown(call, created.document) : null,
    ok: 1,
  };
}

function shown(call: Call, document: Buffer | undefined): Document | null {
  if (document === undefined) return null;
  const decoded = decodeDocument(document);
  const projection = call.body.document("fields");
  if (projection === undefined || Object.keys(projection).length === 0) return decoded;
  return compileProjection(projection, call.body.document("query") ?? {}, {
    variables: call.body.document("let"),
    now: call.now,
  })(decoded);
}
