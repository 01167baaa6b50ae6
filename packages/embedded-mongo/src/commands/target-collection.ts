import { checkCollectionName, checkDatabaseName } from "../storage/collections/namespace.ts";
import type { Call } from "./command.ts";
import { requireField } from "./command-body.ts";

export type TargetCollection = {
  readonly db: string;
  readonly name: string;
  readonly namespace: string;
};

/** The collection that is named by a field of the command. */
export function targetCollection(call: Call, field: string): TargetCollection {
  const name = requireField(call.body.string(field), field, field);
  checkDatabaseName(call.db);
  checkCollectionName(call.db, name);
  return { db: call.db, name, namespace: `${call.db}.${name}` };
}
