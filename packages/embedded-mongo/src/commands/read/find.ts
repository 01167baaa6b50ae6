import { decodeDocument, encodeDocument } from "../../document-codec.ts";
import { findRows } from "../../query/find-rows.ts";
import { mapRows, skipAndLimit } from "../../query/stream.ts";
import { compileProjection } from "../../semantics/index.ts";
import type { Call, Command } from "../command.ts";
import { openCursor } from "./cursor-reply.ts";
import { sortOf, refuseOptions } from "../query-options.ts";
import { targetCollection } from "../target-collection.ts";

export const find: Command = {
  name: "find",
  kind: "read",
  usesOneCollection: true,
  allowedInTransactions: true,
  fields: {
    find: "string",
    filter: "object",
    sort: "object",
    projection: "object",
    hint: "stringOrObject",
    skip: "number",
    limit: "number",
    batchSize: "number",
    singleBatch: "bool",
    let: "object",
    collation: "object",
    allowDiskUse: "bool",
    allowPartialResults: "bool",
    noCursorTimeout: "bool",
    returnKey: "bool",
    showRecordId: "bool",
    max: "object",
    min: "object",
    tailable: "bool",
    awaitData: "bool",
    oplogReplay: "bool",
  },
  run(call) {
    const { body, store } = call;
    const { db, name, namespace } = targetCollection(call, "find");
    refuseOptions(body, ["returnKey", "showRecordId", "max", "min", "tailable", "awaitData"]);
    const limit = body.natural("limit") ?? 0;
    const skip = body.natural("skip") ?? 0;
    const singleBatch = body.bool("singleBatch");
    const rows = findRows(store.catalog.find(db, name), {
      filter: body.bytes("filter"),
      sort: sortOf(body, "sort"),
      hint: body.value("hint"),
      limit: limit === 0 ? 0 : limit + skip,
      variables: body.document("let"),
      now: call.now,
      deadline: call.deadline,
    });
    const stream = mapRows(skipAndLimit(rows, skip, limit), compileRowProjection(call));
    return openCursor(call, {
      stream,
      namespace,
      batchSize: body.natural("batchSize"),
      singleBatch,
    });
  },
};

function compileRowProjection(call: Call): (row: { document: Buffer }) => Buffer {
  const projection = call.body.document("projection");
  if (projection === undefined || Object.keys(projection).length === 0) {
    return (row) => row.document;
  }
  const project = compileProjection(projection, call.body.document("filter") ?? {}, {
    variables: call.body.document("let"),
    now: call.now,
  });
  return (row) => encodeDocument(project(decodeDocument(row.document)));
}
