import { MongoError } from "../errors.ts";
import type { Catalog } from "../storage/collections/catalog.ts";
import type { Collection } from "../storage/collections/collection.ts";
import type { Creation } from "../storage/collections/creation.ts";
import type { DocumentChange, Transaction } from "./transaction.ts";

function collectionOf(catalog: Catalog, { db, name }: DocumentChange): Collection {
  const collection = catalog.find(db, name);
  if (collection !== undefined) return collection;
  throw new MongoError(246, `collection ${db}.${name} was dropped during the transaction`, {
    errorLabels: ["TransientTransactionError"],
  });
}

/** Restores the changed documents to their previous versions. */
export function restoreSnapshot(
  catalog: Catalog,
  changed: ReadonlyMap<string, DocumentChange>,
): void {
  const changes = [...changed.values()].filter(({ db, name }) => catalog.find(db, name));
  for (const change of changes) removeCurrent(collectionOf(catalog, change), change.rid);
  for (const change of changes) {
    if (change.before === undefined) continue;
    collectionOf(catalog, change).insertAt(change.rid, change.before);
  }
}

/** Removes all changed documents first, so that a unique key can move from one to another. */
export function applyChanges(catalog: Catalog, transaction: Transaction): void {
  for (const creation of transaction.creations) create(catalog, creation);
  const changes = [...transaction.changes.values()];
  for (const change of changes) {
    if (change.before !== undefined) removeCurrent(collectionOf(catalog, change), change.rid);
  }
  for (const change of changes) {
    if (change.after === undefined) continue;
    const collection = collectionOf(catalog, change);
    // If another writer created the same collection, the record id may be in use.
    const taken = collection.read(change.rid) !== undefined;
    collection.insertAt(taken ? collection.allocateRid() : change.rid, change.after);
  }
}

function removeCurrent(collection: Collection, rid: number): void {
  const current = collection.read(rid);
  if (current !== undefined) collection.remove(rid, current);
}

function create(catalog: Catalog, creation: Creation): void {
  const { db, name } = creation;
  const collection = catalog.find(db, name) ?? catalog.create(db, name, {});
  if (creation.kind === "collection") return;
  const { specification } = creation;
  const known = collection.indexes.some(
    ({ definition }) => definition.name === specification["name"],
  );
  if (!known) catalog.addIndex(collection, specification);
}
