import type { Buffer } from "node:buffer";
import type { Catalog } from "../collections/catalog.ts";
import type { Collection } from "../collections/collection.ts";
import { changesOf } from "../redo/redo-changes.ts";
import type { Change } from "../redo/redo-changes.ts";
import type { SessionRecords } from "../session-records.ts";

export type ReplayTarget = { readonly catalog: Catalog; readonly sessions: SessionRecords };

/** Repeats the changes of one group. The store must contain all earlier groups. */
export function replay(payload: Buffer, into: ReplayTarget): void {
  for (const change of changesOf(payload)) apply(change, into);
}

function apply(change: Change, { catalog, sessions }: ReplayTarget): void {
  if (change.kind === "session") {
    sessions.save(change.session, change.number, change.record, change.usedAt);
    return;
  }
  const { rid } = change;
  const collection = catalog.findById(change.collection);
  if (collection === undefined) throw missingFromStore(`collection ${change.collection}`);
  if (change.kind === "insert") collection.insertAt(rid, change.document);
  else if (change.kind === "remove") collection.remove(rid, current(collection, rid));
  else collection.replace(rid, current(collection, rid), change.document);
}

function current(collection: Collection, rid: number): Buffer {
  const document = collection.read(rid);
  if (document === undefined) throw missingFromStore(`document ${rid} of ${collection.namespace}`);
  return document;
}

function missingFromStore(missing: string): Error {
  return new Error(`the redo log does not match the store, which has no ${missing}`);
}
