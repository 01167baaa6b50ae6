import type { Buffer } from "node:buffer";
import { bsonType } from "../../bson/raw-document.ts";
import { encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { numberOf } from "../../bson/number-of.ts";
import { countRows } from "../../query/count-rows.ts";
import { findRows } from "../../query/find-rows.ts";
import { decodedRows, emptyStream, mapRows, skipAndLimit } from "../../query/stream.ts";
import { compilePipeline } from "../../semantics/index.ts";
import type { RowStream } from "../../query/stream.ts";
import type { DocumentStream } from "../../cursors.ts";
import { writeOutput, writesOutput } from "./aggregate-output.ts";
import { compilePipelineOf, leadingQuery } from "./aggregate-query.ts";
import { explainQuery } from "../explain/explain-query.ts";
import type { Call, Command } from "../command.ts";
import { requireField } from "../command-body.ts";
import { openCursor } from "../read/cursor-reply.ts";
import { cursorBatchSize, refuseOptions } from "../query-options.ts";
import { targetCollection } from "../target-collection.ts";

export const aggregate: Command = {
  name: "aggregate",
  kind: (body) => (writesOutput(body.raw("pipeline")) ? "write" : "read"),
  allowedInTransactions: true,
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
    const stages = body.value("pipeline") as Document[];
    if (body.bool("explain")) return explainQuery(call, "aggregate", body, false);
    const output = writesOutput(body.raw("pipeline")) ? stages.at(-1) : undefined;
    const pipeline = output === undefined ? stages : stages.slice(0, -1);
    if (output !== undefined && body.document("readConcern")?.["level"] === "linearizable") {
      throw new MongoError(
        "InvalidOptions",
        `${Object.keys(output)[0]} cannot be used with a 'linearizable' read concern level`,
      );
    }
    if (output !== undefined && call.transaction !== undefined) {
      throw new MongoError(
        "OperationNotSupportedInTransaction",
        `Stage not supported inside of a multi-document transaction: ${Object.keys(output)[0]}`,
      );
    }
    if (body.raw("aggregate")?.type !== bsonType.string) return aggregateDatabase(call, pipeline);
    const { db, name, namespace } = targetCollection(call, "aggregate");
    if (!body.has("cursor")) {
      throw new MongoError(
        "FailedToParse",
        "The 'cursor' option is required, except for aggregate with the explain argument",
      );
    }
    const { leading, run } = compilePipelineOf(call, pipeline);
    const query = leadingQuery(call, leading);
    const limit = leading.limit ?? 0;
    const collection = store.catalog.find(db, name);
    const countResult = countResultOf(pipeline.at(-1), pipeline.length - leading.stages);
    if (countResult !== undefined && output === undefined) {
      const n = countRows(collection, query, leading.skip, limit);
      const documents = n === 0 ? [] : [encodeDocument(countResult(n))];
      return replyFirstBatch(call, namespace, {
        next: () => documents.shift(),
        pause: () => undefined,
      });
    }
    const rows = skipAndLimit(findRows(collection, query), leading.skip, limit);
    if (output !== undefined) {
      writeOutput(call, output, run(decodedRows(rows)));
      return replyFirstBatch(call, namespace, { next: () => undefined, pause: () => undefined });
    }
    if (pipeline.length === leading.stages) {
      return replyFirstBatch(
        call,
        namespace,
        mapRows(rows, (row) => row.document),
      );
    }
    return replyFirstBatch(call, namespace, encodedStream(run(decodedRows(rows)), rows));
  },
};

function encodedStream(documents: Iterable<Document>, rows: RowStream): DocumentStream {
  const iterator = documents[Symbol.iterator]();
  return {
    next: () => {
      const result = iterator.next();
      return result.done === true ? undefined : encodeDocument(result.value);
    },
    pause: () => rows.pause(),
  };
}

function replyFirstBatch(call: Call, namespace: string, stream: DocumentStream): Buffer {
  const batchSize = cursorBatchSize(call.body);
  return openCursor(call, { stream, namespace, batchSize, singleBatch: false });
}

/** A pipeline without a collection: only `$listLocalSessions` is supported. */
function aggregateDatabase(call: Call, pipeline: readonly Document[]): Buffer {
  const [first = {}, ...rest] = pipeline;
  if (first["$listLocalSessions"] === undefined) {
    throw new MongoError(
      "InvalidNamespace",
      `{aggregate: 1} is not valid for '${Object.keys(first)[0] ?? "an empty pipeline"}'; a collection is required.`,
    );
  }
  const session = call.body.value("lsid");
  const sessions = session === undefined ? [] : [{ _id: session, lastUse: call.now }];
  const run = compilePipeline(rest, {
    now: call.now,
    variables: call.body.document("let"),
    read: () => [],
  });
  return replyFirstBatch(
    call,
    `${call.db}.$cmd.aggregate`,
    encodedStream(run(sessions), emptyStream),
  );
}

/**
 * Recognises the pipeline of the driver's `countDocuments`, which groups everything into one sum of
 * ones. Returns the function that builds its result from a count.
 */
function countResultOf(
  last: Document | undefined,
  stagesAfterFind: number,
): ((n: number) => Document) | undefined {
  const group = last?.["$group"] as Document | undefined;
  if (stagesAfterFind !== 1 || group === undefined) return undefined;
  const [id, sum, ...more] = Object.entries(group);
  if (id?.[0] !== "_id" || sum === undefined || more.length > 0) return undefined;
  if (id[1] !== null && numberOf(id[1]) === undefined) return undefined;
  const accumulator = sum[1] as Document | null;
  if (typeof accumulator !== "object" || accumulator === null) return undefined;
  if (Object.keys(accumulator).length !== 1 || accumulator["$sum"] !== 1) return undefined;
  return (n) => ({ _id: id[1], [sum[0]]: n });
}
