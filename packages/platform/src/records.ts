import type { NewEvent } from "@malipo/contracts";
import { assert } from "@malipo/core";
import { type Document, type Filter, type IndexDescription, ObjectId } from "mongodb";
import {
  appendEvents,
  type Cause,
  type EventFields,
  type EventfulCollection,
  type EventfulDocument,
  firstEvents,
  unpublishedIndex,
} from "./events.ts";
import { findTogether, withoutHistory } from "./find-together.ts";
import { type PageRequest, readPage } from "./paging.ts";
import type { Service } from "./service.ts";

/** Somebody else changed the record since it was read: read it and decide again. */
export class VersionConflict extends Error {
  override readonly name = "VersionConflict";
}

export interface Entity {
  readonly id: string;
  readonly businessid: string;
}

/** An entity with what its next write needs to know. */
export interface Saved<E extends Entity> {
  readonly entity: E;
  readonly events: Omit<EventFields, "events">;
}

/** Makes an entity of the fields it was saved with: whatever it has beside its ids. */
export type EntityOf<E extends Entity> = (ids: Entity, fields: Document) => E;

export type Records<E extends Entity> = ReturnType<typeof recordsIn<E>>;

/** The order of every list. */
export const newestFirst = { key: { businessid: 1, createdat: -1, _id: -1 } } as const;

/** Creates the collection's indexes, then opens it. */
export async function openRecords<E extends Entity>(
  { store, relay }: Pick<Service, "store" | "relay">,
  name: string,
  indexes: readonly IndexDescription[],
  entityOf: EntityOf<E>,
): Promise<Records<E>> {
  const collection = store.db.collection<EventfulDocument>(name);
  await collection.createIndexes([...indexes, unpublishedIndex]);
  return recordsIn(collection, relay, entityOf);
}

/** A business's records of one kind: every change is one write that carries the events it causes. */
function recordsIn<E extends Entity>(
  collection: EventfulCollection,
  relay: Pick<Service, "relay">["relay"],
  entityOf: EntityOf<E>,
) {
  const savedOf = (document: Document): Saved<E> => ({
    entity: entityOf(
      { id: String(document["_id"]), businessid: String(document["businessid"]) },
      document,
    ),
    events: document as EventFields,
  });

  const findOne = findTogether(collection);

  return {
    collection,

    async insert(entity: E, news: readonly NewEvent[], cause: Cause): Promise<void> {
      const document: EventfulDocument = {
        ...keyOf(entity.businessid, entity.id),
        ...fieldsOf(entity),
        ...firstEvents(news, cause),
      };
      await collection.insertOne(document);
      relay.hand(collection, document);
    },

    async find(businessid: string, id: string): Promise<Saved<E> | null> {
      const document = await findOne(businessid, id);
      return document && savedOf(document);
    },

    /** Newest first, and stable: records of the same moment are told apart by their ids. */
    async page(businessid: string, filter: Filter<EventfulDocument>, request: PageRequest) {
      const { documents, paging } = await readPage(
        collection,
        { ...filter, businessid: new ObjectId(businessid) },
        { sort: { createdat: -1, _id: -1 }, ...withoutHistory },
        request,
      );
      return { entities: documents.map((document) => savedOf(document).entity), paging };
    },

    async save(before: Saved<E>, after: E, news: readonly NewEvent[], cause: Cause): Promise<void> {
      assert(after.id === before.entity.id, "a record keeps its id");
      const append = appendEvents(before.events, news, cause);
      const document = await collection.findOneAndUpdate(
        { ...keyOf(after.businessid, after.id), ...append.filter },
        {
          $set: { ...fieldsOf(after), ...append.set },
          $push: append.push,
        },
        { returnDocument: "after" },
      );
      if (!document) throw new VersionConflict(after.id);
      relay.hand(collection, document);
    },
  };
}

function keyOf(businessid: string, id: string) {
  return { _id: new ObjectId(id), businessid: new ObjectId(businessid) };
}

function fieldsOf({ id: _id, businessid: _businessid, ...fields }: Entity): Document {
  return fields;
}
