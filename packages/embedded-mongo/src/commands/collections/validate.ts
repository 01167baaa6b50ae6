import { MongoError } from "../../errors.ts";
import { topLevelFields } from "../../indexes/key-extraction.ts";
import { scanTable } from "../../query/scans.ts";
import type { Collection } from "../../storage/collections/collection.ts";
import type { IndexTable } from "../../storage/collections/index-table.ts";
import type { Call, Command } from "../command.ts";
import { targetCollection } from "../target-collection.ts";

const errorsMax = 100;

/** Checks that every index contains exactly the keys of the documents. */
export const validate: Command = {
  name: "validate",
  kind: "read",
  fields: { validate: "string", full: "bool" },
  run(call) {
    const { db, name, namespace } = targetCollection(call, "validate");
    const collection = call.store.catalog.find(db, name);
    if (collection === undefined) {
      throw new MongoError(
        "NamespaceNotFound",
        `Collection '${namespace}' does not exist to validate.`,
      );
    }
    const errors: string[] = [];
    const keysPerIndex: { [name: string]: number } = {};
    let records = 0;
    for (const index of collection.indexes) {
      const found = checkIndex(call, collection, index, errors);
      keysPerIndex[index.definition.name] = found.keys;
      records = found.records;
    }
    return {
      ns: namespace,
      nrecords: records,
      nIndexes: collection.indexes.length,
      keysPerIndex,
      valid: errors.length === 0,
      errors: errors.slice(0, errorsMax),
      ok: 1,
    };
  },
};

function checkIndex(
  call: Call,
  collection: Collection,
  index: IndexTable,
  errors: string[],
): { keys: number; records: number } {
  const { name } = index.definition;
  const documents = scanTable(collection, false, { keys: 0, documents: 0 }, call.deadline);
  const has = collection.statement(`SELECT 1 FROM ${index.table} WHERE k = ? AND rid = ?`);
  let records = 0;
  let expected = 0;
  for (let row = documents.next(); row !== undefined; row = documents.next()) {
    records++;
    const unmarked = () => errors.push(`index ${name} is not marked as multikey`);
    for (const key of index.keysOf(
      row.document,
      topLevelFields(row.document, index.fieldNames),
      unmarked,
    )) {
      expected++;
      if (has.get(key, row.rid) === undefined) {
        errors.push(`document ${row.rid} misses a key in index ${name}`);
      }
    }
  }
  const all = collection.statement(`SELECT count(*) FROM ${index.table}`);
  const [keys] = all.get() as unknown as [number];
  if (keys !== expected) errors.push(`index ${name} has ${keys} keys instead of ${expected}`);
  return { keys, records };
}
