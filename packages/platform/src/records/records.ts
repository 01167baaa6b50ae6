import type { NewEvent, Paging } from "@malipo/contracts";
import { assert, type Fault, type Result, type Searchable } from "@malipo/core";
import { type Document, type Filter, type IndexDescription, ObjectId, type Sort } from "mongodb";
import { amendBy, changeBy } from "./change-records.ts";
import { ensureIndexes } from "../mongo/ensure-indexes.ts";
import {
  appendEvents,
  type Cause,
  type EventFields,
  type EventfulCollection,
  type EventfulDocument,
  firstEvents,
  type Telling,
  ticketIndex,
} from "../outbox/event-document.ts";
import { insertTogether } from "./insert-together.ts";
import { duplicatesOf } from "../mongo/connection.ts";
import { findTogether, withoutHistory } from "./find-together.ts";
import { dueIn } from "../mongo/due.ts";
import { type PageRequest, readPage } from "../mongo/paging.ts";
import { createdByIndex, creation, operationPush } from "./operations.ts";
import { DuplicateRecord, VersionConflict } from "./record-errors.ts";
import type { Relay } from "../outbox/relay.ts";
import { beginTelling, beginTellings, written } from "../outbox/publication.ts";
import { type Changed, saveManyIn } from "./save-many.ts";
import { type FieldsSaved, fieldsSavedBy } from "./saved-fields.ts";
import { lookUp, type Numbered, searchIndexes } from "../mongo/search.ts";
import type { Service } from "../service/service.ts";

export interface Entity {
  readonly id: string;
  readonly businessid: string;
}

/** An entity with what its next write needs to know. */
export interface Saved<E extends Entity> {
  readonly entity: E;
  readonly events: Omit<EventFields, "events">;
  /** Grows with every write: a change fits only what was read. */
  readonly version: number;
  /** The newest operations that changed it. */
  readonly operations: readonly string[];
}

/** What a decision makes of an entity, and what happened by it. */
export interface Change<E extends Entity> {
  readonly entity: E;
  readonly events: readonly NewEvent[];
}

/** A new entity, what happened by it, and by what it came about. */
export interface Made<E extends Entity> extends Change<E> {
  readonly cause: Cause;
}

/** Makes an entity of the fields it was saved with: whatever it has beside its ids. */
export type EntityOf<E extends Entity> = (ids: Entity, fields: Document) => E;

export interface Records<E extends Entity> {
  readonly collection: EventfulCollection;
  insert(entity: E, news: readonly NewEvent[], cause: Cause): Promise<E>;
  /** Leaves out what a unique index holds already, and says how many were new. */
  insertMany(made: readonly Made<E>[]): Promise<number>;
  find(businessid: string, id: string): Promise<Saved<E> | null>;
  save(before: Saved<E>, change: Change<E>, cause: Cause): Promise<void>;
  /** In one write; the ids of those that somebody changed meanwhile, which were not saved. */
  saveMany(changes: readonly Changed<E>[]): Promise<ReadonlySet<string>>;
  /** What is due in these buckets, of all businesses, in each the oldest first. */
  dueWithin(buckets: readonly number[], now: Date, limit: number): Promise<Saved<E>[]>;
  page(
    businessid: string,
    filter: Filter<EventfulDocument>,
    request: PageRequest & { readonly search?: string | undefined },
  ): Promise<{ entities: E[]; paging: Paging }>;
  /** A bounded number of a business's records, in the order asked for. */
  some(
    businessid: string,
    filter: Filter<EventfulDocument>,
    options: { readonly sort: Sort; readonly limit: number },
  ): Promise<E[]>;
  change(
    businessid: string,
    id: string,
    cause: Cause,
    decide: (entity: E) => Result<Change<E>, Fault>,
  ): Promise<Result<E, Fault> | null>;
  /** For what is not a request: decides anew until it fits. A decision of null changes nothing. */
  amend(
    businessid: string,
    id: string,
    cause: Cause,
    decide: (entity: E) => Change<E> | null,
  ): Promise<E | null>;
}

/** The order of every list. */
export const newestFirst = { key: { businessid: 1, createdat: -1, _id: -1 } } as const;

/** Creates the collection's indexes, then opens it. What is searchable has indexes for that. */
export async function openRecords<E extends Entity>(
  service: Pick<Service, "store" | "relay" | "log" | "shutdown">,
  name: string,
  indexes: readonly IndexDescription[],
  entityOf: EntityOf<E>,
  searchableOf?: (entity: E) => Searchable,
  numbered?: Numbered,
): Promise<Records<E>> {
  const collection = service.store.db.collection<EventfulDocument>(name);
  await ensureIndexes(service, collection, [
    ...indexes,
    ...(searchableOf ? searchIndexes(numbered) : []),
    ticketIndex,
    createdByIndex,
  ]);
  return recordsIn(collection, service.relay, entityOf, fieldsSavedBy(searchableOf), numbered);
}

/** A business's records of one kind: every change is one write that carries the events it causes. */
function recordsIn<E extends Entity>(
  collection: EventfulCollection,
  relay: Relay,
  entityOf: EntityOf<E>,
  fields: FieldsSaved<E>,
  numbered: Numbered | undefined,
): Records<E> {
  const findOne = findTogether(collection);
  const savedOf = (document: Document) => savedFrom(document, entityOf);

  async function find(businessid: string, id: string): Promise<Saved<E> | null> {
    const document = await findOne(businessid, id);
    return document && savedOf(document);
  }

  async function save(before: Saved<E>, { entity, events }: Change<E>, cause: Cause) {
    assert(entity.id === before.entity.id, "a record keeps its id");
    const telling = await beginTelling(relay.tickets, before.events, events);
    const document = await written(relay.tickets, [telling], async () => {
      const append = appendEvents(before.events, events, cause, telling);
      return collection.findOneAndUpdate(
        { ...keyOf(entity.businessid, entity.id), version: before.version },
        {
          $set: {
            ...fields.changed(before.entity, entity),
            ...append.set,
            version: before.version + 1,
          },
          $push: { ...append.push, ...operationPush(cause) },
        },
        { returnDocument: "after" },
      );
    });
    if (telling && document) relay.hand(collection, document);
    if (telling && !document) relay.tickets.done(telling.ticket);
    if (!document) throw new VersionConflict(entity.id);
  }

  return {
    collection,
    ...insertsInto(collection, relay, entityOf, fields.all),
    find,
    save,
    saveMany: saveManyIn(collection, relay, fields.changed),
    dueWithin: async (buckets, now, limit) => {
      const documents = await dueIn(collection, buckets, now, limit);
      return documents.map(savedOf);
    },
    page: pageBy(collection, entityOf, numbered),
    some: async (businessid, filter, { sort, limit }) => {
      const within = { ...filter, businessid: new ObjectId(businessid) };
      const found = await collection.find(within, withoutHistory).sort(sort).limit(limit).toArray();
      return found.map((document) => savedOf(document).entity);
    },
    change: changeBy({ find, save }),
    amend: amendBy({ find, save }),
  };
}

function insertsInto<E extends Entity>(
  collection: EventfulCollection,
  relay: Relay,
  entityOf: EntityOf<E>,
  fieldsOf: (entity: E) => Document,
): Pick<Records<E>, "insert" | "insertMany"> {
  const { tickets } = relay;

  function documentOf(
    { entity, events, cause }: Made<E>,
    telling: Telling | undefined,
  ): EventfulDocument {
    return {
      ...keyOf(entity.businessid, entity.id),
      ...fieldsOf(entity),
      version: 1,
      ...firstEvents(events, cause, telling?.ticket),
      ...creation(cause),
    };
  }

  const insertOne = insertTogether(collection);

  /** The entity as it is kept: the one of the first time, if the operation comes again. */
  async function insert(entity: E, events: readonly NewEvent[], cause: Cause): Promise<E> {
    const telling = await beginTelling(tickets, {}, events);
    const { document, isNew } = await written(tickets, [telling], async () => {
      const document = documentOf({ entity, events, cause }, telling);
      return { document, isNew: await insertOne(document) };
    });
    if (!isNew) {
      if (telling) tickets.leave(telling.ticket);
      const { operationid } = cause;
      const businessid = new ObjectId(entity.businessid);
      const first =
        operationid && (await collection.findOne({ businessid, createdby: operationid }));
      if (!first) throw new DuplicateRecord(entity.id);
      return savedFrom(first, entityOf).entity;
    }
    relay.hand(collection, document);
    return entity;
  }

  async function insertMany(made: readonly Made<E>[]): Promise<number> {
    if (made.length === 0) return 0;
    const writes = made.map(({ events: news }) => ({ current: {}, news }));
    const tellings = await beginTellings(tickets, writes);
    const { documents, known } = await written(tickets, tellings, async () => {
      const documents = made.map((each, index) => documentOf(each, tellings[index]));
      const insert = () => collection.insertMany(documents, { ordered: false });
      return { documents, known: await duplicatesOf(insert) };
    });
    documents.forEach((document, index) => {
      if (!known.has(index)) relay.hand(collection, document);
      else if (document.ticket) tickets.leave(document.ticket);
    });
    return documents.length - known.size;
  }

  return { insert, insertMany };
}

/** Newest first, and stable: records of the same moment are told apart by their ids. */
function pageBy<E extends Entity>(
  collection: EventfulCollection,
  entityOf: EntityOf<E>,
  numbered: Numbered | undefined,
) {
  const page: Records<E>["page"] = async (businessid, filter, request) => {
    const business = new ObjectId(businessid);
    const found = await lookUp(collection, business, request.search, numbered);
    const { documents, paging } = await readPage(
      collection,
      { ...filter, ...found.filter, businessid: business },
      { sort: found.sort, ...withoutHistory },
      request,
    );
    const entities = documents.map((document) => savedFrom(document, entityOf).entity);
    return { entities, paging };
  };
  return page;
}

function keyOf(businessid: string, id: string) {
  return { _id: new ObjectId(id), businessid: new ObjectId(businessid) };
}

function savedFrom<E extends Entity>(document: Document, entityOf: EntityOf<E>): Saved<E> {
  const ids = { id: String(document["_id"]), businessid: String(document["businessid"]) };
  return {
    entity: entityOf(ids, document),
    events: document as EventFields,
    version: document["version"],
    operations: document["operations"] ?? [],
  };
}
