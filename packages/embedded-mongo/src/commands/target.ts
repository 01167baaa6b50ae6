import { checkCollectionName, checkDatabaseName } from "../storage/namespace.ts";
import { numberOf } from "../indexes/specification.ts";
import type { Call } from "./command.ts";
import { requireField } from "./command-body.ts";
import type { CommandBody } from "./command-body.ts";

export type Target = { readonly db: string; readonly name: string; readonly namespace: string };

/** The collection that the command's own field names. */
export function collectionNamed(call: Call, field: string): Target {
  const name = requireField(call.body.string(field), field, field);
  checkDatabaseName(call.db);
  checkCollectionName(call.db, name);
  return { db: call.db, name, namespace: `${call.db}.${name}` };
}

/** The number of each statement, by which a repetition is recognised. */
export function statementIds(body: CommandBody): (index: number) => number {
  const first = body.number("stmtId");
  if (first !== undefined) return (index) => first + index;
  const ids = body.value("stmtIds") as unknown[] | undefined;
  return ids === undefined ? (index) => index : (index) => numberOf(ids[index]) ?? index;
}
