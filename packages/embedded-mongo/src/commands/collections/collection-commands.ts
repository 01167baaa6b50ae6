import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { compileFilter } from "../../semantics/index.ts";
import type { Collection } from "../../storage/collections/collection.ts";
import { checkDatabaseName } from "../../storage/collections/namespace.ts";
import { keyPattern } from "../../indexes/definition.ts";
import type { Call, Command } from "../command.ts";
import { openCursorOver } from "../read/cursor-reply.ts";
import { refuseOptions } from "../query-options.ts";
import { targetCollection } from "../target-collection.ts";

export const create: Command = {
  name: "create",
  kind: "write",
  allowedInTransactions: true,
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
    const { db, name, namespace } = targetCollection(call, "create");
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

export function dropCollection(call: Call, collection: Collection): void {
  call.cursors.closeWhere((cursor) => cursor.namespace === collection.namespace);
  call.store.catalog.drop(collection);
}

export const drop: Command = {
  name: "drop",
  kind: "write",
  fields: { drop: "string" },
  run(call) {
    const { db, name, namespace } = targetCollection(call, "drop");
    const collection = call.store.catalog.find(db, name);
    if (collection === undefined) return { ok: 1 };
    const nIndexesWas = collection.indexes.length;
    dropCollection(call, collection);
    return { nIndexesWas, ns: namespace, ok: 1 };
  },
};

export const renameCollection: Command = {
  name: "renameCollection",
  kind: "write",
  adminOnly: true,
  fields: { renameCollection: "string", to: "string", dropTarget: "bool" },
  run(call) {
    const { catalog } = call.store;
    const from = splitNamespace(call.body.string("renameCollection") ?? "");
    const to = splitNamespace(call.body.string("to") ?? "");
    const collection = catalog.find(from.db, from.name);
    if (collection === undefined) {
      throw new MongoError(
        "NamespaceNotFound",
        `Source collection ${from.db}.${from.name} does not exist`,
      );
    }
    const target = catalog.find(to.db, to.name);
    if (target === collection) {
      throw new MongoError("IllegalOperation", "Can't rename a collection to itself");
    }
    if (target !== undefined) {
      if (!call.body.bool("dropTarget")) {
        throw new MongoError("NamespaceExists", "target namespace exists");
      }
      catalog.drop(target);
    }
    call.cursors.closeWhere((cursor) => cursor.namespace === collection.namespace);
    catalog.rename(collection, to.db, to.name);
    return { ok: 1 };
  },
};

function splitNamespace(namespace: string): { db: string; name: string } {
  const dot = namespace.indexOf(".");
  if (dot <= 0) throw new MongoError("InvalidNamespace", `Invalid namespace: ${namespace}`);
  return { db: namespace.slice(0, dot), name: namespace.slice(dot + 1) };
}

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
    return openCursorOver(call, `${call.db}.$cmd.listCollections`, listed);
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
