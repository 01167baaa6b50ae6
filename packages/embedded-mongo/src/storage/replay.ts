import type { Buffer } from "node:buffer";
import type { Catalog } from "./catalog.ts";
import type { Collection } from "./collection.ts";
import { changesOf } from "./redo-changes.ts";
import type { Change } from "./redo-changes.ts";
import type { SessionRecords } from "./session-records.ts";

export type Replayed = { readonly catalog: Catalog; readonly sessions: SessionRecords };

/** Makes the changes of one group again, on a store that has all that came before them. */
export function replay(payload: Buffer, into: Replayed): void {
  for (const change of changesOf(payload)) apply(change, into);
}

function apply(change: Change, { catalog, sessions }: Replayed): void {
  if (change.kind === "session") {
    sessions.save(change.session, change.number, change.record, change.usedAt);
    return;
  }
  const { rid } = change;
  const collection = catalog.findById(change.collection);
  if (collection === undefined) throw misfit(`collection ${change.collection}`);
  if (change.kind === "insert") collection.insertAt(rid, change.document);
  else if (change.kind === "remove") collection.remove(rid, current(collection, rid));
  else collection.replace(rid, current(collection, rid), change.document);
}

function current(collection: Collection, rid: number): Buffer {
  const document = collection.read(rid);
  if (document === undefined) throw misfit(`document ${rid} of ${collection.namespace}`);
  return document;
}

function misfit(missing: string): Error {
  return new Error(`the redo log does not fit the store: it has no ${missing}`);
}
