import { MongoError } from "../../errors.ts";
import { findRows } from "../../query/find-rows.ts";
import { allRows } from "../../query/stream.ts";
import type { Call, Command } from "../command.ts";
import { requireField } from "../command-body.ts";
import type { CommandBody, Fields } from "../command-body.ts";
import { refuseCollation } from "../query-options.ts";
import { targetCollection } from "../target-collection.ts";
import { readFirstRow } from "./update.ts";
import { runWriteStatements, totalOf } from "./write-statements.ts";

const statementFields: Fields = {
  q: "object",
  limit: "number",
  hint: "stringOrObject",
  collation: "object",
};

export const deleteCommand: Command = {
  name: "delete",
  kind: "write",
  usesOneCollection: true,
  retryable: true,
  allowedInTransactions: true,
  fields: {
    delete: "string",
    deletes: "array",
    ordered: "bool",
    let: "object",
    stmtId: "number",
    stmtIds: "array",
  },
  run(call) {
    const { db, name } = targetCollection(call, "delete");
    const results = runWriteStatements(call, {
      list: "deletes",
      fields: statementFields,
      run: (statement) => ({ n: runDelete(call, db, name, statement), nModified: 0 }),
    });
    const n = totalOf(results, "n");
    const { writeErrors } = results;
    return writeErrors.length === 0 ? { n, ok: 1 } : { n, writeErrors, ok: 1 };
  },
};

function runDelete(call: Call, db: string, name: string, statement: CommandBody): number {
  const limit = requireField(statement.number("limit"), "delete.deletes", "limit");
  requireField(statement.raw("q"), "delete.deletes", "q");
  if (limit !== 0 && limit !== 1) {
    throw new MongoError(
      "FailedToParse",
      `The limit field in delete objects must be 0 or 1. Got ${limit}`,
    );
  }
  if (call.retryable !== undefined && limit === 0) {
    throw new MongoError("InvalidOptions", "Cannot use retryable writes with limit=0");
  }
  refuseCollation(statement.document("collation"));
  const collection = call.store.catalog.find(db, name);
  const rows = findRows(collection, {
    filter: statement.bytes("q"),
    sort: undefined,
    hint: statement.value("hint"),
    limit,
    variables: call.body.document("let"),
    now: call.now,
    deadline: call.deadline,
  });
  const matched = limit === 1 ? readFirstRow(rows) : allRows(rows);
  for (const row of matched) collection!.remove(row.rid, row.document);
  return matched.length;
}
