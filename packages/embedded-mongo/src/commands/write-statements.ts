import type { Document } from "../bson/values.ts";
import type { Call } from "./command.ts";
import { CommandBody } from "./command-body.ts";
import type { Fields } from "./command-body.ts";
import { checkBatchSize } from "./insert.ts";
import type { StatementOutcome } from "./retryable-write.ts";
import { statementIds } from "./target.ts";
import { runStatements } from "./write-outcome.ts";

type Statements = {
  /** The field that holds them, and what each may hold. */
  readonly list: string;
  readonly fields: Fields;
  readonly run: (statement: CommandBody) => StatementOutcome;
};

export type StatementResults = {
  readonly outcomes: ReadonlyMap<number, StatementOutcome>;
  readonly writeErrors: readonly Document[];
};

/** Runs the statements of an update or a delete; one that was done before is answered again. */
export function runWriteStatements(
  call: Call,
  { list, fields, run }: Statements,
): StatementResults {
  const { body, retryable } = call;
  const statements = body.documents(list).map((bytes) => {
    const statement = new CommandBody(`${body.path}.${list}`, bytes);
    statement.check(fields);
    return statement;
  });
  checkBatchSize(statements.length);
  const ordered = !body.has("ordered") || body.bool("ordered");
  const idOf = statementIds(body);
  const outcomes = new Map<number, StatementOutcome>();
  const writeErrors = runStatements(statements.length, ordered, (i) => {
    let outcome = retryable?.outcome(idOf(i));
    if (outcome === undefined) {
      outcome = run(statements[i]!);
      retryable?.record(idOf(i), outcome);
    }
    outcomes.set(i, outcome);
  });
  return { outcomes, writeErrors };
}

/** How many documents all statements met together. */
export function totalOf(results: StatementResults, field: "n" | "nModified"): number {
  let total = 0;
  for (const outcome of results.outcomes.values()) total += outcome[field] ?? 0;
  return total;
}
