import { findRows } from "../../query/find-rows.ts";
import { distinctValues } from "../../semantics/index.ts";
import { decodedRows } from "../../query/stream.ts";
import { MongoError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import { encodeBody } from "../../wire/message.ts";
import type { Command } from "../command.ts";
import { requireField } from "../command-body.ts";
import { refuseOptions } from "../query-options.ts";
import { targetCollection } from "../target-collection.ts";

export const distinct: Command = {
  name: "distinct",
  kind: "read",
  allowedInTransactions: true,
  fields: {
    distinct: "string",
    key: "string",
    query: "object",
    hint: "stringOrObject",
    collation: "object",
  },
  run(call) {
    const { body, store } = call;
    const { db, name } = targetCollection(call, "distinct");
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
