import { MongoError } from "../errors.ts";
import type { Catalog } from "../storage/catalog.ts";
import type { Collection } from "../storage/collection.ts";
import type { Creation, DocumentChange, Transaction } from "./transaction.ts";

function collectionOf(catalog: Catalog, { db, name }: DocumentChange): Collection {
  const collection = catalog.find(db, name);
  if (collection !== undefined) return collection;
  throw new MongoError(246, `collection ${db}.${name} was dropped during the transaction`, {
    errorLabels: ["TransientTransactionError"],
  });
}

/** Makes the changed documents what they were before. */
export function rewind(catalog: Catalog, changed: ReadonlyMap<string, DocumentChange>): void {
  const changes = [...changed.values()].filter(({ db, name }) => catalog.find(db, name));
  for (const change of changes) removeCurrent(collectionOf(catalog, change), change.rid);
  for (const change of changes) {
    if (change.before === undefined) continue;
    collectionOf(catalog, change).insertAt(change.rid, change.before);
  }
}

/** First removes all that is changed, so that a key may move from one document to another. */
export function applyChanges(catalog: Catalog, transaction: Transaction): void {
  for (const creation of transaction.creations) create(catalog, creation);
  const changes = [...transaction.changes.values()];
  for (const change of changes) {
    if (change.before !== undefined) removeCurrent(collectionOf(catalog, change), change.rid);
  }
  for (const change of changes) {
    if (change.after === undefined) continue;
    const collection = collectionOf(catalog, change);
    // In a collection that others created too the number may be taken.
    const taken = collection.read(change.rid) !== undefined;
    collection.insertAt(taken ? collection.takeRid() : change.rid, change.after);
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
