import { encodeDocument } from "../bson/values.ts";
import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { compileFilter } from "../semantics/index.ts";
import type { Collection } from "../storage/collection.ts";
import { checkDatabaseName } from "../storage/namespace.ts";
import { keyPattern } from "../indexes/definition.ts";
import type { Call, Command } from "./command.ts";
import { openCursor } from "./cursor-reply.ts";
import { cursorBatchSize, refuseOptions } from "./query-options.ts";
import { collectionNamed } from "./target.ts";

/** A cursor over documents that are there already. */
export function cursorOver(call: Call, namespace: string, documents: readonly Document[]) {
  const encoded = documents.map((document) => encodeDocument(document));
  let next = 0;
  const stream = { next: () => encoded[next++], pause: () => undefined };
  return openCursor(call, {
    stream,
    namespace,
    batchSize: cursorBatchSize(call.body),
    singleBatch: false,
  });
}

export const create: Command = {
  name: "create",
  kind: "write",
  inTransactions: true,
  fields: {
    create: "string",
    capped: "bool",
    autoIndexId: "bool",
    idIndex: "object",
    size: "number",
    max: "number",
    storageEngine: "object",
    validator: "object",
    validationLevel: "string",
    validationAction: "string",
    indexOptionDefaults: "object",
    viewOn: "string",
    pipeline: "array",
    collation: "object",
    timeseries: "object",
    expireAfterSeconds: "number",
    clusteredIndex: "object",
    changeStreamPreAndPostImages: "object",
    encryptedFields: "object",
  },
  run(call) {
    const { db, name, namespace } = collectionNamed(call, "create");
    const known = ["create", "collation"];
    const refused = [...call.body.names()].filter((field) => create.fields[field] !== undefined);
    refuseOptions(
      call.body,
      refused.filter((field) => !known.includes(field)),
    );
    const { catalog } = call.store;
    if (catalog.find(db, name) !== undefined) {
      throw new MongoError("NamespaceExists", `Collection ${namespace} already exists.`);
    }
    catalog.create(db, name, {});
    return { ok: 1 };
  },
};

function dropCollection(call: Call, collection: Collection): void {
  call.cursors.closeWhere((cursor) => cursor.namespace === collection.namespace);
  call.store.catalog.drop(collection);
}

export const drop: Command = {
  name: "drop",
  kind: "write",
  fields: { drop: "string" },
  run(call) {
    const { db, name, namespace } = collectionNamed(call, "drop");
    const collection = call.store.catalog.find(db, name);
    if (collection === undefined) return { ok: 1 };
    const nIndexesWas = collection.indexes.length;
    dropCollection(call, collection);
    return { nIndexesWas, ns: namespace, ok: 1 };
  },
};

export const dropDatabase: Command = {
  name: "dropDatabase",
  kind: "write",
  fields: { dropDatabase: "number" },
  run(call) {
    checkDatabaseName(call.db);
    const collections = call.store.catalog.collectionsOf(call.db);
    for (const collection of collections) dropCollection(call, collection);
    return collections.length === 0 ? { ok: 1 } : { dropped: call.db, ok: 1 };
  },
};

export const listCollections: Command = {
  name: "listCollections",
  kind: "read",
  fields: {
    listCollections: "number",
    filter: "object",
    nameOnly: "bool",
    authorizedCollections: "bool",
    cursor: "object",
  },
  run(call) {
    const { body, store } = call;
    checkDatabaseName(call.db);
    const filter = compileFilter(body.document("filter") ?? {});
    const nameOnly = body.bool("nameOnly");
    const listed = store.catalog
      .collectionsOf(call.db)
      .map((collection) => collectionEntry(collection))
      .filter((entry) => filter.matches(entry))
      .map((entry) => (nameOnly ? { name: entry["name"], type: entry["type"] } : entry));
    return cursorOver(call, `${call.db}.$cmd.listCollections`, listed);
  },
};

function collectionEntry(collection: Collection): Document {
  return {
    name: collection.name,
    type: "collection",
    options: collection.options,
    info: { readOnly: false },
    idIndex: { v: 2, key: keyPattern(collection.indexes[0]!.definition), name: "_id_" },
  };
}

export const listDatabases: Command = {
  name: "listDatabases",
  kind: "read",
  adminOnly: true,
  fields: {
    listDatabases: "number",
    filter: "object",
    nameOnly: "bool",
    authorizedDatabases: "bool",
  },
  run(call) {
    const { body, store } = call;
    const filter = compileFilter(body.document("filter") ?? {});
    const nameOnly = body.bool("nameOnly");
    const names = [...new Set(store.catalog.all().map((collection) => collection.db))].toSorted();
    const databases = names
      .map((name): Document => {
        if (nameOnly) return { name };
        const sizeOnDisk = store.catalog
          .collectionsOf(name)
          .reduce((sum, collection) => sum + collection.dataBytes, 0);
        return { name, sizeOnDisk, empty: false };
      })
      .filter((entry) => filter.matches(entry));
    if (nameOnly) return { databases, ok: 1 };
    const totalSize = databases.reduce((sum, entry) => sum + Number(entry["sizeOnDisk"]), 0);
    return { databases, totalSize, totalSizeMb: Math.floor(totalSize / 1024 / 1024), ok: 1 };
  },
};
