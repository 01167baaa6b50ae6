import { countRows } from "../query/count-rows.ts";
import { findRows } from "../query/find-rows.ts";
import { distinctValues } from "../semantics/index.ts";
import { decodedRows } from "../query/stream.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { encodeBody } from "../wire/message.ts";
import type { Command } from "./command.ts";
import { requireField } from "./command-body.ts";
import { refuseOptions } from "./query-options.ts";
import { collectionNamed } from "./target.ts";

export const count: Command = {
  name: "count",
  kind: "read",
  withinOne: true,
  fields: {
    count: "string",
    query: "object",
    fields: "object",
    limit: "number",
    skip: "number",
    hint: "stringOrObject",
    collation: "object",
  },
  run(call) {
    const { body, store } = call;
    const { db, name } = collectionNamed(call, "count");
    refuseOptions(body, []);
    const limit = Math.abs(body.number("limit") ?? 0);
    const skip = body.natural("skip") ?? 0;
    const collection = store.catalog.find(db, name);
    const filter = body.bytes("query");
    const query = {
      filter,
      sort: undefined,
      hint: body.value("hint"),
      limit: 0,
      variables: undefined,
      now: call.now,
      deadline: call.deadline,
    };
    return { n: countRows(collection, query, skip, limit), ok: 1 };
  },
};

export const distinct: Command = {
  name: "distinct",
  kind: "read",
  inTransactions: true,
  fields: {
    distinct: "string",
    key: "string",
    query: "object",
    hint: "stringOrObject",
    collation: "object",
  },
  run(call) {
    const { body, store } = call;
    const { db, name } = collectionNamed(call, "distinct");
    refuseOptions(body, []);
    const key = requireField(body.string("key"), "distinct", "key");
    const rows = findRows(store.catalog.find(db, name), {
      filter: body.bytes("query"),
      sort: undefined,
      hint: body.value("hint"),
      limit: 0,
      variables: undefined,
      now: call.now,
      deadline: call.deadline,
    });
    const values = distinctValues(decodedRows(rows), key);
    const reply = encodeBody({ values, ok: 1 });
    if (reply.length > limits.documentBytesMax) {
      throw new MongoError(17217, "distinct too big, 16mb cap");
    }
    return reply;
  },
};
