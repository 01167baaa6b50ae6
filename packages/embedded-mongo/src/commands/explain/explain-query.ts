import type { Buffer } from "node:buffer";
import { bsonType } from "../../bson/raw-document.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { planQuery } from "../../query/find-rows.ts";
import type { Query } from "../../query/find-rows.ts";
import type { RowStream } from "../../query/stream.ts";
import { compilePipelineOf, leadingQuery } from "../aggregate/aggregate-query.ts";
import type { Call } from "../command.ts";
import { CommandBody, requireField } from "../command-body.ts";
import { explainPlan } from "./explain-plan.ts";
import { sortOf } from "../query-options.ts";

/**
 * Explains the query of a command. With `executes` it also runs the query and counts what it reads.
 */
export function explainQuery(
  call: Call,
  name: string,
  explained: CommandBody,
  executes: boolean,
): Document {
  const query = queryOf(call, name, explained);
  const target = requireField(explained.string(name), name, name);
  const { plan, rows, counts } = planQuery(call.store.catalog.find(call.db, target), query.query);
  const startedAt = performance.now();
  const nReturned = executes ? countUpTo(rows, query.skip, query.limit) : 0;
  const stats = {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Math.round(performance.now() - startedAt),
    totalKeysExamined: counts.keys,
    totalDocsExamined: counts.documents,
  };
  return {
    explainVersion: "1",
    queryPlanner: explainPlan({
      namespace: `${call.db}.${target}`,
      filter: query.filter,
      sort: query.query.sort,
      plan,
    }),
    ...(executes ? { executionStats: stats } : {}),
    serverInfo: { version: call.server.version },
    ok: 1,
  };
}

function countUpTo(rows: RowStream, skip: number, limit: number): number {
  let n = 0;
  const wanted = limit === 0 ? Number.POSITIVE_INFINITY : limit + skip;
  while (n < wanted && rows.next() !== undefined) n++;
  rows.pause();
  return Math.max(0, n - skip);
}

type Explainable = {
  readonly query: Query;
  readonly filter: Document;
  readonly skip: number;
  readonly limit: number;
};

const filterField: Readonly<Record<string, string>> = {
  find: "filter",
  count: "query",
  distinct: "query",
  findAndModify: "query",
  findandmodify: "query",
};

function queryOf(call: Call, name: string, body: CommandBody): Explainable {
  if (name === "aggregate") return aggregateQuery(call, body);
  if (name === "update" || name === "delete") return statementQuery(call, name, body);
  const field = filterField[name] ?? "query";
  const skip = body.natural("skip") ?? 0;
  const one = name === "findAndModify" || name === "findandmodify";
  const limit = one ? 1 : Math.abs(body.number("limit") ?? 0);
  return readQuery(call, {
    filterBytes: body.bytes(field),
    filter: body.document(field) ?? {},
    sort: sortOf(body, "sort"),
    hint: body.value("hint"),
    skip,
    limit,
  });
}

function readQuery(
  call: Call,
  given: {
    filterBytes: Buffer | undefined;
    filter: Document;
    sort: Document | undefined;
    hint: unknown;
    skip: number;
    limit: number;
  },
): Explainable {
  const { filterBytes, filter, sort, hint, skip, limit } = given;
  const { deadline, now } = call;
  const wanted = limit === 0 ? 0 : limit + skip;
  const query = {
    filter: filterBytes,
    sort,
    hint,
    limit: wanted,
    variables: undefined,
    now,
    deadline,
  };
  return { query, filter, skip, limit };
}

function statementQuery(call: Call, name: string, body: CommandBody): Explainable {
  const bytes = body.documents(name === "update" ? "updates" : "deletes")[0];
  if (bytes === undefined) throw new MongoError("FailedToParse", "nothing to explain");
  const statement = new CommandBody(name, bytes);
  const single = name === "update" ? !statement.bool("multi") : statement.number("limit") === 1;
  return readQuery(call, {
    filterBytes: statement.bytes("q"),
    filter: statement.document("q") ?? {},
    sort: sortOf(statement, "sort"),
    hint: statement.value("hint"),
    skip: 0,
    limit: single ? 1 : 0,
  });
}

function aggregateQuery(call: Call, body: CommandBody): Explainable {
  if (body.raw("pipeline")?.type !== bsonType.array) {
    throw new MongoError("TypeMismatch", "'pipeline' option must be specified as an array");
  }
  const { leading } = compilePipelineOf(call, body.value("pipeline") as Document[]);
  const { filter, skip, limit } = leading;
  const query = { ...leadingQuery(call, leading), hint: body.value("hint") };
  return { query, filter, skip, limit: limit ?? 0 };
}
