import { bsonType } from "../bson/raw-document.ts";
import { encodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { numberOf } from "../indexes/specification.ts";
import { countRows } from "../query/count-rows.ts";
import { findRows } from "../query/find-rows.ts";
import type { Query } from "../query/find-rows.ts";
import { mapRows, skipAndLimit } from "../query/stream.ts";
import { splitPipeline } from "./aggregate-split.ts";
import type { SplitPipeline } from "./aggregate-split.ts";
import type { Call, Command } from "./command.ts";
import { requireField } from "./command-body.ts";
import { openCursor } from "./cursor-reply.ts";
import { refuseOptions } from "./query-options.ts";
import { collectionNamed } from "./target.ts";

export const aggregate: Command = {
  name: "aggregate",
  kind: "read",
  inTransactions: true,
  fields: {
    aggregate: "any",
    pipeline: "array",
    explain: "bool",
    allowDiskUse: "bool",
    cursor: "object",
    bypassDocumentValidation: "bool",
    hint: "stringOrObject",
    let: "object",
    collation: "object",
  },
  run(call) {
    const { body, store } = call;
    refuseOptions(body, []);
    requireField(body.raw("pipeline"), "aggregate", "pipeline");
    const pipeline = body.value("pipeline") as Document[];
    if (body.raw("aggregate")?.type !== bsonType.string) {
      throw new MongoError(
        "InvalidNamespace",
        "aggregation of a database is not supported by this server",
      );
    }
    const { db, name, namespace } = collectionNamed(call, "aggregate");
    if (!body.has("cursor")) {
      throw new MongoError(
        "FailedToParse",
        "The 'cursor' option is required, except for aggregate with the explain argument",
      );
    }
    const split = splitPipeline(pipeline);
    const query = queryOf(call, split);
    const collection = store.catalog.find(db, name);
    const counted = countOnly(split.rest);
    if (counted !== undefined) {
      const n = countRows(collection, query, split.skip, split.limit);
      const documents = n === 0 ? [] : [encodeDocument(counted(n))];
      return batchOf(call, namespace, { next: () => documents.shift(), pause: () => undefined });
    }
    if (split.rest.length > 0) {
      const [stage = "?"] = Object.keys(split.rest[0] ?? {});
      throw new MongoError(40324, `Unrecognized pipeline stage name: '${stage}'`);
    }
    const rows = skipAndLimit(findRows(collection, query), split.skip, split.limit);
    return batchOf(
      call,
      namespace,
      mapRows(rows, (row) => row.document),
    );
  },
};

function batchOf(
  call: Call,
  namespace: string,
  stream: Parameters<typeof openCursor>[1]["stream"],
) {
  const cursor = call.body.document("cursor") ?? {};
  const batchSize = numberOf(cursor["batchSize"]);
  return openCursor(call, { stream, namespace, batchSize, singleBatch: false });
}

export function queryOf(call: Call, split: SplitPipeline): Query {
  const { body, deadline, now } = call;
  return {
    filter: split.filterBytes,
    sort: split.sort,
    hint: body.value("hint"),
    limit: split.limit === 0 ? 0 : split.limit + split.skip,
    variables: body.document("let"),
    now,
    deadline,
  };
}

/** `countDocuments` groups everything into one sum of ones. */
function countOnly(rest: readonly Document[]): ((n: number) => Document) | undefined {
  const group = rest[0]?.["$group"] as Document | undefined;
  if (rest.length !== 1 || group === undefined) return undefined;
  const [id, sum, ...more] = Object.entries(group);
  if (id?.[0] !== "_id" || sum === undefined || more.length > 0) return undefined;
  if (id[1] !== null && numberOf(id[1]) === undefined) return undefined;
  const accumulator = sum[1] as Document | null;
  if (typeof accumulator !== "object" || accumulator === null) return undefined;
  if (Object.keys(accumulator).length !== 1 || accumulator["$sum"] !== 1) return undefined;
  return (n) => ({ _id: id[1], [sum[0]]: n });
}
