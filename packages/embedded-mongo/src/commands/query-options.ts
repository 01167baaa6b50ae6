import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { CommandBody } from "./command-body.ts";

/** A sort, or undefined when it is absent or empty. */
export function sortOf(body: CommandBody, name: string): Document | undefined {
  const sort = body.document(name);
  return sort === undefined || Object.keys(sort).length === 0 ? undefined : sort;
}

/** The `cursor` option of a command, which holds nothing but the size of its first batch. */
export function cursorBatchSize(body: CommandBody): number | undefined {
  const given = body.bytes("cursor");
  if (given === undefined) return undefined;
  const cursor = new CommandBody(`${body.path}.cursor`, given);
  cursor.check({ batchSize: "number" });
  return cursor.natural("batchSize");
}

/** Options that MongoDB has and this server does not: given and not false, they are refused. */
export function refuseOptions(body: CommandBody, names: readonly string[]): void {
  if (body.has("collation")) refuseCollation(body.document("collation"));
  for (const name of names) {
    const value = body.value(name);
    if (value === undefined || value === false) continue;
    throw new MongoError(
      "CommandNotSupported",
      `option '${name}' of ${body.path} is not supported by this server`,
    );
  }
}

/** The simple collation is what this server does; every other is refused. */
export function refuseCollation(collation: Document | undefined): void {
  if (collation === undefined || Object.keys(collation).length === 0) return;
  if (collation["locale"] === "simple" && Object.keys(collation).length === 1) return;
  throw new MongoError(
    "CommandNotSupported",
    "collation is not supported by this server, except { locale: 'simple' }",
  );
}
