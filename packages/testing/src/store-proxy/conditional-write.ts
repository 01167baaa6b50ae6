import type { Document, MongoClient } from "mongodb";
import type { StoreWrite } from "./store-write.ts";

/** A write that does something else, or fails, if another writer is faster. */
export interface ConditionalWrite {
  /** Such as "update invoices: version" or "insert receipts: receiptno": all writes of one kind have the same. */
  readonly kind: string;
  /** The race is lost when other documents fit one of these filters than before. */
  readonly dependsOn: readonly Document[];
}

/** No writer changes these: they say which record is meant. */
const naming = new Set(["_id", "businessid"]);

/** Reads which fields of a collection are unique from the store, once for each collection. */
export function conditionalWritesIn(client: MongoClient) {
  const known = new Map<string, readonly (readonly string[])[]>();

  async function uniqueKeysOf({ database, collection }: StoreWrite) {
    const name = `${database}.${collection}`;
    const found = known.get(name);
    if (found) return found;
    const listing = client.db(database).collection(collection).indexes();
    // A collection that does not exist yet has none.
    const indexes = await listing.catch(() => []);
    const keys = indexes.filter(({ unique }) => unique).map(({ key }) => Object.keys(key));
    if (indexes.length > 0) known.set(name, keys);
    return keys;
  }

  return async (write: StoreWrite): Promise<readonly ConditionalWrite[]> => {
    const { command, collection, statements } = write;
    if (command === "insert") {
      const keys = await uniqueKeysOf(write);
      return statements.flatMap((document) => insertsOf(collection, document, keys));
    }
    return statements.flatMap(({ q, upsert }) => {
      const fields = [...new Set(fieldsOf(q))].filter((field) => !naming.has(field));
      if (fields.length === 0) return [];
      const kind = `${command} ${collection}: ${fields.toSorted().join(", ")}`;
      // An upsert that finds nothing is an insert, and refused if the record exists by then.
      return [{ kind, dependsOn: upsert === true ? [q, { _id: q._id }] : [q] }];
    });
  };
}

/** An ObjectId is new for each document, so an `_id` can be a duplicate only if it is something else. */
function insertsOf(
  collection: string,
  document: Document,
  uniqueKeys: readonly (readonly string[])[],
): readonly ConditionalWrite[] {
  const isNamed = document["_id"]?._bsontype !== "ObjectId";
  return [...(isNamed ? [["_id"]] : []), ...uniqueKeys].flatMap((key) => {
    const values = key.map((field) => [field, valueAt(document, field)] as const);
    // Unique indexes are partial: they hold no document without a value.
    if (values.some(([, value]) => value === undefined || value === null)) return [];
    const fields = key.filter((field) => field === "_id" || !naming.has(field));
    const kind = `insert ${collection}: ${fields.join(", ")}`;
    return [{ kind, dependsOn: [Object.fromEntries(values)] }];
  });
}

function fieldsOf(filter: Document): readonly string[] {
  return Object.entries(filter).flatMap(([name, value]) =>
    ["$and", "$or", "$nor"].includes(name) ? (value as Document[]).flatMap(fieldsOf) : [name],
  );
}

function valueAt(document: Document, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, key) => (value as Document | null)?.[key], document);
}
