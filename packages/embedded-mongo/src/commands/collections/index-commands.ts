import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { isEquivalent, readSpecification } from "../../indexes/read-specification.ts";
import { limits } from "../../limits.ts";
import { numberOf } from "../../bson/number-of.ts";
import { compareBson, shellText } from "../../semantics/index.ts";
import type { Collection } from "../../storage/collections/collection.ts";
import type { IndexTable } from "../../storage/collections/index-table.ts";
import type { Command } from "../command.ts";
import { requireField } from "../command-body.ts";
import { openCursorOver } from "../read/cursor-reply.ts";
import { targetCollection } from "../target-collection.ts";

export const createIndexes: Command = {
  name: "createIndexes",
  kind: "write",
  allowedInTransactions: true,
  fields: {
    createIndexes: "string",
    indexes: "array",
    commitQuorum: "any",
    ignoreUnknownIndexOptions: "bool",
  },
  run(call) {
    const { db, name } = targetCollection(call, "createIndexes");
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
    call.store.runAtomically(() => {
      for (const specification of specifications) {
        if (hasIndex(collection, specification)) continue;
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

/** Whether an equivalent index exists. Throws if a different index has the name or the key. */
function hasIndex(collection: Collection, specification: Document): boolean {
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
    const { db, name, namespace } = targetCollection(call, "listIndexes");
    const collection = call.store.catalog.find(db, name);
    if (collection === undefined) {
      throw new MongoError("NamespaceNotFound", `ns does not exist: ${namespace}`);
    }
    const listed = collection.indexes.map((index) => index.definition.specification);
    return openCursorOver(call, namespace, listed);
  },
};

export const dropIndexes: Command = {
  name: "dropIndexes",
  kind: "write",
  fields: { dropIndexes: "string", index: "any" },
  run(call) {
    const { db, name, namespace } = targetCollection(call, "dropIndexes");
    const { catalog } = call.store;
    const collection = catalog.find(db, name);
    if (collection === undefined) {
      throw new MongoError("NamespaceNotFound", `ns not found ${namespace}`);
    }
    const wanted = requireField(call.body.value("index"), "dropIndexes", "index");
    const nIndexesWas = collection.indexes.length;
    // An open cursor may be reading one of the indexes.
    call.cursors.closeWhere((cursor) => cursor.namespace === collection.namespace);
    for (const index of indexesToDrop(collection, wanted)) catalog.dropIndex(collection, index);
    return { nIndexesWas, ok: 1 };
  },
};

function indexesToDrop(collection: Collection, wanted: unknown): readonly IndexTable[] {
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

/** Changes the expiry of a TTL index. Other changes are not supported. */
export const collMod: Command = {
  name: "collMod",
  kind: "write",
  fields: { collMod: "string", index: "object" },
  run(call) {
    const { db, name, namespace } = targetCollection(call, "collMod");
    const collection = call.store.catalog.find(db, name);
    if (collection === undefined) {
      throw new MongoError("NamespaceNotFound", `ns does not exist: ${namespace}`);
    }
    const change = call.body.document("index");
    if (change === undefined) return { ok: 1 };
    const { name: indexName, expireAfterSeconds, ...others } = change;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw new MongoError(
        "InvalidOptions",
        `collMod of index.${unknown} is not supported by this server`,
      );
    }
    const index = collection.indexes.find((one) => one.definition.name === indexName);
    if (index === undefined) {
      throw new MongoError(
        "IndexNotFound",
        `cannot find index ${String(indexName)} for ns ${namespace}`,
      );
    }
    const specification = { ...index.definition.specification, expireAfterSeconds };
    const before = index.definition.specification["expireAfterSeconds"];
    call.store.catalog.changeIndex(collection, index, specification);
    return { expireAfterSeconds_old: before, expireAfterSeconds_new: expireAfterSeconds, ok: 1 };
  },
};
