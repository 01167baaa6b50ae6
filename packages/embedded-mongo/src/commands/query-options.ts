import type { Document } from "../document-codec.ts";
import { MongoError } from "../errors.ts";
import { CommandBody } from "./command-body.ts";

/** The sort, or undefined if it is absent or empty. */
export function sortOf(body: CommandBody, name: string): Document | undefined {
  const sort = body.document(name);
  return sort === undefined || Object.keys(sort).length === 0 ? undefined : sort;
}

/** The batch size in the `cursor` option, which has no other field. */
export function cursorBatchSize(body: CommandBody): number | undefined {
  const given = body.bytes("cursor");
  if (given === undefined) return undefined;
  const cursor = new CommandBody(`${body.path}.cursor`, given);
  cursor.check({ batchSize: "number" });
  return cursor.natural("batchSize");
}

/**
 * Refuses the named options of MongoDB, which this server does not support, unless they are false.
 */
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

/** Refuses every collation except the simple one. */
export function refuseCollation(collation: Document | undefined): void {
  if (collation === undefined || Object.keys(collation).length === 0) return;
  if (collation["locale"] === "simple" && Object.keys(collation).length === 1) return;
  throw new MongoError(
    "CommandNotSupported",
    "collation is not supported by this server, except { locale: 'simple' }",
  );
}
