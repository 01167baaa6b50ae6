import type { Document } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { isEquivalent, readSpecification } from "../indexes/read-specification.ts";
import { limits } from "../limits.ts";
import { numberOf } from "../indexes/specification.ts";
import { compareBson, shellText } from "../semantics/index.ts";
import type { Collection } from "../storage/collection.ts";
import type { IndexTable } from "../storage/index-table.ts";
import type { Command } from "./command.ts";
import { requireField } from "./command-body.ts";
import { cursorOver } from "./namespace-commands.ts";
import { collectionNamed } from "./target.ts";

export const createIndexes: Command = {
  name: "createIndexes",
  kind: "write",
  inTransactions: true,
  fields: {
    createIndexes: "string",
    indexes: "array",
    commitQuorum: "any",
    ignoreUnknownIndexOptions: "bool",
  },
  run(call) {
    const { db, name } = collectionNamed(call, "createIndexes");
    const requested = requireField(call.body.value("indexes"), "createIndexes", "indexes");
    const specifications = (requested as Document[]).map(readSpecification);
    if (specifications.length === 0) {
      throw new MongoError("BadValue", "Must specify at least one index to create");
    }
    const { catalog } = call.store;
    const existing = catalog.find(db, name);
    const collection = existing ?? catalog.create(db, name, {});
    const before = collection.indexes.length;
    const added: IndexTable[] = [];
    call.store.undoable(() => {
      for (const specification of specifications) {
        if (alreadyThere(collection, specification)) continue;
        if (call.transaction !== undefined && collection.count > 0) {
          throw new MongoError(
            "OperationNotSupportedInTransaction",
            `Cannot create new indexes on existing collection ${collection.namespace} in a multi-document transaction.`,
          );
        }
        if (collection.indexes.length >= limits.indexesPerCollectionMax) {
          throw new MongoError(
            "CannotCreateIndex",
            `add index fails, too many indexes for ${collection.namespace}`,
          );
        }
        added.push(catalog.addIndex(collection, specification));
      }
    });
    return {
      numIndexesBefore: before,
      numIndexesAfter: collection.indexes.length,
      createdCollectionAutomatically: existing === undefined,
      ...(added.length === 0 ? { note: "all indexes already exist" } : {}),
      ok: 1,
    };
  },
};

/** Throws when an index with the name or the key exists and is another one. */
function alreadyThere(collection: Collection, specification: Document): boolean {
  const name = String(specification["name"]);
  const sameName = collection.indexes.find((index) => index.definition.name === name);
  const equivalent = collection.indexes.find((index) =>
    isEquivalent(index.definition.specification, specification),
  );
  if (equivalent === collection.indexes[0] && equivalent !== undefined) return true;
  if (sameName !== undefined && sameName !== equivalent) {
    throw new MongoError(
      "IndexKeySpecsConflict",
      `An existing index has the same name as the requested index. Requested index: ${shellText(specification)}, existing index: ${shellText(sameName.definition.specification)}`,
    );
  }
  if (equivalent === undefined) return false;
  if (sameName === undefined) {
    throw new MongoError(
      "IndexOptionsConflict",
      `Index already exists with a different name: ${equivalent.definition.name}`,
    );
  }
  const { ttlSeconds } = equivalent.definition;
  if (ttlSeconds === numberOf(specification["expireAfterSeconds"])) return true;
  throw new MongoError(
    "IndexOptionsConflict",
    `An equivalent index already exists with the same name but different options. Requested index: ${shellText(specification)}, existing index: ${shellText(equivalent.definition.specification)}`,
  );
}

export const listIndexes: Command = {
  name: "listIndexes",
  kind: "read",
  fields: { listIndexes: "string", cursor: "object", includeBuildUUIDs: "bool" },
  run(call) {
    const { db, name, namespace } = collectionNamed(call, "listIndexes");
    const collection = call.store.catalog.find(db, name);
    if (collection === undefined) {
      throw new MongoError("NamespaceNotFound", `ns does not exist: ${namespace}`);
    }
    const listed = collection.indexes.map((index) => index.definition.specification);
    return cursorOver(call, namespace, listed);
  },
};

export const dropIndexes: Command = {
  name: "dropIndexes",
  kind: "write",
  fields: { dropIndexes: "string", index: "any" },
  run(call) {
    const { db, name, namespace } = collectionNamed(call, "dropIndexes");
    const { catalog } = call.store;
    const collection = catalog.find(db, name);
    if (collection === undefined) {
      throw new MongoError("NamespaceNotFound", `ns not found ${namespace}`);
    }
    const wanted = requireField(call.body.value("index"), "dropIndexes", "index");
    const nIndexesWas = collection.indexes.length;
    // They may be reading one of the indexes.
    call.cursors.closeWhere((cursor) => cursor.namespace === collection.namespace);
    for (const index of chosen(collection, wanted)) catalog.dropIndex(collection, index);
    return { nIndexesWas, ok: 1 };
  },
};

function chosen(collection: Collection, wanted: unknown): readonly IndexTable[] {
  if (wanted === "*") return collection.indexes.slice(1);
  const list = Array.isArray(wanted) ? (wanted as unknown[]) : [wanted];
  return list.map((one) => {
    const index = collection.indexes.find(({ definition }) =>
      typeof one === "string"
        ? definition.name === one
        : compareBson(definition.specification["key"], one) === 0,
    );
    if (index === undefined) {
      const shown = typeof one === "string" ? `name [${one}]` : `key: ${JSON.stringify(one)}`;
      throw new MongoError("IndexNotFound", `index not found with ${shown}`);
    }
    if (index === collection.indexes[0]) {
      throw new MongoError("InvalidOptions", "cannot drop _id index");
    }
    return index;
  });
}
