import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { findRows } from "../../query/find-rows.ts";
import { allRows } from "../../query/stream.ts";
import type { Collection } from "../../storage/collections/collection.ts";
import type { Call, Command } from "../command.ts";
import { requireField } from "../command-body.ts";
import type { CommandBody, Fields } from "../command-body.ts";
import { refuseCollation } from "../query-options.ts";
import type { StatementOutcome } from "./retryable-write.ts";
import { targetCollection } from "../target-collection.ts";
import { applyUpdate, compileStatementUpdate, insertUpsert } from "./update-statement.ts";
import { runWriteStatements, totalOf } from "./write-statements.ts";
import type { StatementResults } from "./write-statements.ts";

const statementFields: Fields = {
  q: "object",
  u: "objectOrArray",
  c: "object",
  multi: "bool",
  upsert: "bool",
  arrayFilters: "array",
  hint: "stringOrObject",
  collation: "object",
};

export const update: Command = {
  name: "update",
  kind: "write",
  usesOneCollection: true,
  retryable: true,
  allowedInTransactions: true,
  fields: {
    update: "string",
    updates: "array",
    ordered: "bool",
    bypassDocumentValidation: "bool",
    let: "object",
    stmtId: "number",
    stmtIds: "array",
  },
  run(call) {
    const { db, name } = targetCollection(call, "update");
    const results = runWriteStatements(call, {
      list: "updates",
      fields: statementFields,
      run: (statement) => runUpdate(call, db, name, statement),
    });
    const upserted = upsertedOf(results);
    const { writeErrors } = results;
    return {
      n: totalOf(results, "n"),
      nModified: totalOf(results, "nModified"),
      ...(upserted.length === 0 ? {} : { upserted }),
      ...(writeErrors.length === 0 ? {} : { writeErrors }),
      ok: 1,
    };
  },
};

function upsertedOf({ outcomes }: StatementResults): Document[] {
  return [...outcomes].flatMap(([index, { upserted }]) =>
    upserted === undefined ? [] : [{ index, _id: upserted.id }],
  );
}

/** Unlike the variables of `let`, constants are not evaluated as expressions. */
function constantsOf(statement: CommandBody): Document | undefined {
  const given = Object.entries(statement.document("c") ?? {});
  if (!statement.has("c")) return undefined;
  return Object.fromEntries(given.map(([name, value]) => [name, { $literal: value }]));
}

function runUpdate(call: Call, db: string, name: string, statement: CommandBody): StatementOutcome {
  const multi = statement.bool("multi");
  if (call.retryable !== undefined && multi) {
    throw new MongoError("InvalidOptions", "Cannot use retryable writes with multi=true");
  }
  refuseCollation(statement.document("collation"));
  requireField(statement.raw("q"), "update.updates", "q");
  let decoded: Document | undefined;
  const filter = () => (decoded ??= statement.document("q") ?? {});
  requireField(statement.raw("u"), "update.updates", "u");
  const compiled = compileStatementUpdate(
    statement,
    "u",
    constantsOf(statement) ?? call.body.document("let"),
  );
  if (statement.has("c") && compiled.kind !== "pipeline") {
    throw new MongoError(51198, "Constant values may only be specified for pipeline updates");
  }
  if (multi && compiled.kind === "replacement") {
    throw new MongoError(
      "FailedToParse",
      "multi update is not supported for replacement-style update",
    );
  }
  const { catalog } = call.store;
  let collection: Collection | undefined = catalog.find(db, name);
  const rows = findRows(collection, {
    filter: statement.bytes("q"),
    sort: undefined,
    hint: statement.value("hint"),
    limit: multi ? 0 : 1,
    variables: call.body.document("let"),
    now: call.now,
    deadline: call.deadline,
  });
  let n = 0;
  let nModified = 0;
  const matched = multi ? allRows(rows) : readFirstRow(rows);
  const upsert = statement.bool("upsert");
  const isOverlooked =
    upsert &&
    !multi &&
    matched[0] !== undefined &&
    call.server.recentUpserts?.isOverlooked(collection!, matched[0].rid) === true;
  for (const row of isOverlooked ? [] : matched) {
    n++;
    if (applyUpdate(collection!, row, compiled, filter, call.now).changed) nModified++;
  }
  if (n > 0 || !upsert) return { n, nModified };
  collection ??= catalog.create(db, name, {});
  const { id, rid } = insertUpsert(collection, compiled, filter(), call.now);
  call.server.recentUpserts?.recordInsert(collection, rid);
  return { n: 1, nModified: 0, upserted: { id } };
}

export function readFirstRow(rows: ReturnType<typeof findRows>) {
  const row = rows.next();
  rows.pause();
  return row === undefined ? [] : [row];
}
