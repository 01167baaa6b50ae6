import type { Document } from "../../document-codec.ts";
import type { Collection } from "../../storage/collections/collection.ts";
import { DeferredIndexEntries } from "../../storage/collections/deferred-index-entries.ts";
import type { Command } from "../command.ts";
import { requireField } from "../command-body.ts";
import { fillEmptyTimestamps } from "./fill-timestamps.ts";
import { type StatementOutcome, statementIdReader } from "./retryable-write.ts";
import { targetCollection } from "../target-collection.ts";
import { ensureIdFirst } from "./document-id.ts";
import { checkBatchSize, runStatements } from "./run-statements.ts";

const inserted: StatementOutcome = { n: 1 };

export const insert: Command = {
  name: "insert",
  kind: "write",
  usesOneCollection: true,
  retryable: true,
  allowedInTransactions: true,
  fields: {
    insert: "string",
    documents: "array",
    ordered: "bool",
    bypassDocumentValidation: "bool",
    stmtId: "number",
    stmtIds: "array",
  },
  run(call) {
    const { body, store, retryable } = call;
    const { db, name } = targetCollection(call, "insert");
    const documents = body.documents("documents");
    requireField(body.has("documents") ? true : undefined, "insert", "documents");
    checkBatchSize(documents.length);
    const ordered = !body.has("ordered") || body.bool("ordered");
    const ids = statementIdReader(body);
    let collection: Collection | undefined;
    const later = new DeferredIndexEntries();
    let n = 0;
    const insertOne = (i: number): void => {
      if (retryable?.outcome(ids(i)) === undefined) {
        const document = fillEmptyTimestamps(ensureIdFirst(documents[i]!), call.now);
        collection ??= store.catalog.findOrCreate(db, name);
        collection.insert(document, later);
        retryable?.record(ids(i), inserted);
      }
      n++;
    };
    let writeErrors: Document[];
    try {
      writeErrors = runStatements(documents.length, ordered, insertOne);
    } finally {
      later.flush();
    }
    return writeErrors.length === 0 ? { n, ok: 1 } : { n, writeErrors, ok: 1 };
  },
};
