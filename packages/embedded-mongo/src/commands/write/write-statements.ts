import type { Document } from "../../document-codec.ts";
import type { Call } from "../command.ts";
import { CommandBody } from "../command-body.ts";
import type { Fields } from "../command-body.ts";
import { type StatementOutcome, statementIdReader } from "./retryable-write.ts";
import { checkBatchSize, runStatements } from "./run-statements.ts";

type Statements = {
  /** The field of the command that lists the statements. */
  readonly list: string;
  readonly fields: Fields;
  readonly run: (statement: CommandBody) => StatementOutcome;
};

export type StatementResults = {
  readonly outcomes: ReadonlyMap<number, StatementOutcome>;
  readonly writeErrors: readonly Document[];
};

/**
 * Runs the statements of an update or a delete. Repeated statements return their recorded outcome.
 */
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
  const idOf = statementIdReader(body);
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

/** Sums a counter over all statements. */
export function totalOf(results: StatementResults, field: "n" | "nModified"): number {
  let total = 0;
  for (const outcome of results.outcomes.values()) total += outcome[field] ?? 0;
  return total;
}
