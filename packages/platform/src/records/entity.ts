import type { NewEvent } from "@malipo/contracts";
import type { Document } from "mongodb";
import { type Cause, type EventState, noEvents } from "../outbox/index.ts";

/** The ids that every record of a business has. */
export interface Entity {
  readonly id: string;
  readonly businessid: string;
}

/** An entity as it was read, with the facts that its next write depends on. */
export interface StoredRecord<E extends Entity> {
  readonly entity: E;
  readonly eventState: EventState;
  /** Grows with every write: a change is saved only if the record still has this version. */
  readonly version: number;
  /** The newest operations that changed it. */
  readonly operations: readonly string[];
}

/** An entity after a decision, and the events that the decision caused. */
export interface Change<E extends Entity> {
  readonly entity: E;
  readonly events: readonly NewEvent[];
}

/** A new entity with its events, and their cause. */
export interface NewRecord<E extends Entity> extends Change<E> {
  readonly cause: Cause;
}

/** A record as it was read, its change, and the cause of the change. */
export interface RecordChange<E extends Entity> {
  readonly before: StoredRecord<E>;
  readonly change: Change<E>;
  readonly cause: Cause;
}

/** Makes an entity of its ids and the fields it was stored with. */
export type EntityOf<E extends Entity> = (ids: Entity, fields: Document) => E;

export function storedRecordOf<E extends Entity>(
  document: Document,
  entityOf: EntityOf<E>,
): StoredRecord<E> {
  const ids = { id: String(document["_id"]), businessid: String(document["businessid"]) };
  return {
    entity: entityOf(ids, document),
    eventState: document as EventState,
    version: document["version"],
    operations: document["operations"] ?? [],
  };
}

/** The fields of a new record that has no events, beside its own, for services that insert directly. */
export const recordWithoutEvents = { ...noEvents, events: [], version: 1 } as const;

/** A record right after it was inserted without events. */
export function insertedRecord<E extends Entity>(entity: E): StoredRecord<E> {
  return { entity, eventState: noEvents, version: 1, operations: [] };
}

/** A record right after a save without events. */
export function savedRecord<E extends Entity>(before: StoredRecord<E>, entity: E): StoredRecord<E> {
  return { ...before, entity, version: before.version + 1 };
}

/** How many of its newest operations a record remembers. */
const operationsMax = 20;

/** One record for one operation, however often the operation is repeated. */
export const createdByIndex = {
  key: { businessid: 1, createdby: 1 },
  name: "createdby",
  unique: true,
  partialFilterExpression: { createdby: { $exists: true } },
} as const;

/** The field by which a new record remembers the operation that created it. */
export function createdBy({ operationid }: Cause): Document {
  return operationid === undefined ? {} : { createdby: operationid };
}

/** The part of an update by which a record remembers the operation that changed it. */
export function operationPush({ operationid }: Cause): Document {
  if (operationid === undefined) return {};
  return { operations: { $each: [operationid], $slice: -operationsMax } };
}

/** True if an earlier attempt of the operation has changed the record already. */
export function isApplied(operations: readonly string[], { operationid }: Cause): boolean {
  return operationid !== undefined && operations.includes(operationid);
}
