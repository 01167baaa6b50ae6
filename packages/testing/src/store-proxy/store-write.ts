import type { Document } from "mongodb";
import type { CommandMessage } from "./wire-message.ts";

/** One write command, as it is about to reach the store. */
export interface StoreWrite {
  readonly command: "insert" | "update" | "findAndModify" | "delete";
  readonly database: string;
  readonly collection: string;
  /** The documents of an insert; of other commands each has its filter in `q`, and its update in `u`. */
  readonly statements: readonly Document[];
}

/** Which writes are meant. Without a collection: all but those that processes make in the background. */
export interface WritePattern {
  readonly collection?: string;
  readonly command?: StoreWrite["command"];
  /** True if one of the statements is meant. */
  readonly where?: (statement: Document) => boolean;
}

export function isMeant(write: StoreWrite, { collection, command, where }: WritePattern): boolean {
  if (collection === undefined && isBackground(write)) return false;
  return (
    (collection === undefined || collection === write.collection) &&
    (command === undefined || command === write.command) &&
    (where === undefined || write.statements.some(where))
  );
}

/** How far a process has published (`ticketbooks`), and its lease on a stream (`followers`). */
const backgroundCollections = new Set(["ticketbooks", "followers"]);

function isBackground({ collection, statements }: StoreWrite): boolean {
  return backgroundCollections.has(collection) || statements.every(marksPublished);
}

/** The outbox's mark on a record whose events it has published. */
function marksPublished({ u, multi }: Document): boolean {
  return multi === true && (u?.$set?.published ?? u?.$max?.published) !== undefined;
}

/** Undefined for a command that does not write documents. */
export function readWrite({
  command,
  database,
  body,
  sequences,
}: CommandMessage): StoreWrite | undefined {
  const collection = String(body[command]);
  switch (command) {
    case "insert":
      return { command, database, collection, statements: statementsIn("documents") };
    case "update":
      return { command, database, collection, statements: statementsIn("updates") };
    case "delete":
      return { command, database, collection, statements: statementsIn("deletes") };
    case "findAndModify": {
      const { query: q, update: u, upsert } = body;
      const statement = { q, u, ...(upsert === true && { upsert }) };
      return { command, database, collection, statements: [statement] };
    }
    default:
      return undefined;
  }

  function statementsIn(field: string): readonly Document[] {
    return sequences[field] ?? (body[field] as Document[] | undefined) ?? [];
  }
}
