import { countRows } from "../../query/count-rows.ts";
import type { Command } from "../command.ts";
import { refuseOptions } from "../query-options.ts";
import { targetCollection } from "../target-collection.ts";

export const count: Command = {
  name: "count",
  kind: "read",
  usesOneCollection: true,
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
    const { db, name } = targetCollection(call, "count");
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
