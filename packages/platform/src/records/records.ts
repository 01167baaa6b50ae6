import type { Paging } from "@malipo/contracts";
import { type Fault, type Result, type Searchable, assert, ok } from "@malipo/core";
import {
  type Db,
  type Document,
  type Filter,
  type IndexDescription,
  ObjectId,
  type Sort,
} from "mongodb";
import { batchCallsPerTick } from "../batching/index.ts";
import {
  type Numbered,
  type PageRequest,
  type StartContext,
  dueFilter,
  ensureIndexes,
  readPage,
  searchIndexes,
  searchQuery,
} from "../mongo/index.ts";
import {
  type Cause,
  type EventfulCollection,
  type EventfulDocument,
  type Outbox,
  positionIndex,
  withoutEvents,
} from "../outbox/index.ts";
import {
  type Change,
  type RecordChange,
  type Entity,
  type EntityOf,
  type StoredRecord,
  createdByIndex,
  isApplied,
  operationPush,
  storedRecordOf,
} from "./entity.ts";
import { type RecordInserts, insertsInto } from "./insert-records.ts";
import { VersionConflict } from "./record-errors.ts";
import { saveManyIn } from "./save-many.ts";
import { type StoredFields, storedFields } from "./stored-fields.ts";
import { updateRecord } from "./update-record.ts";

interface RecordReads<E extends Entity> {
  readonly collection: EventfulCollection;
  find(businessid: string, id: string): Promise<StoredRecord<E> | null>;
  /** The record of a document that was read from the collection. */
  storedRecordOf(document: Document): StoredRecord<E>;
  /** The records due in these buckets, of all businesses, in each bucket the oldest first. */
  findDue(buckets: readonly number[], now: Date, limit: number): Promise<StoredRecord<E>[]>;
  /** Leaves out large fields that the list does not show: a page of them would fill the memory. */
  page<LeftOut extends keyof E & string = never>(
    businessid: string,
    filter: Filter<EventfulDocument>,
    request: PageRequest & { readonly search?: string | undefined },
    leftOut?: readonly LeftOut[],
  ): Promise<{ entities: Omit<E, LeftOut>[]; paging: Paging }>;
  /** A limited number of a business's records. */
  findMany(
    businessid: string,
    filter: Filter<EventfulDocument>,
    options: { readonly sort: Sort; readonly limit: number },
  ): Promise<E[]>;
}

interface RecordUpdates<E extends Entity> {
  /** Rejects with `VersionConflict` if another writer has changed the record since it was read. */
  save(before: StoredRecord<E>, change: Change<E>, cause: Cause): Promise<void>;
  /** Saves in one command. Answers the ids of the records that another writer has changed. */
  saveMany(changes: readonly RecordChange<E>[]): Promise<ReadonlySet<string>>;
  /**
   * Decides for a request. A repeated operation is a success without a second effect. A conflict
   * rejects with `VersionConflict`, and `serveRoutes` repeats the request. Null: no such record.
   */
  update(
    businessid: string,
    id: string,
    cause: Cause,
    decide: (entity: E) => Result<Change<E>, Fault>,
  ): Promise<Result<E, Fault> | null>;
  /**
   * Decides for an event or a job, and again after each conflict. A decision of null changes nothing.
   * Answers the entity as it is afterwards. Null: no such record.
   */
  updateWithRetry(
    businessid: string,
    id: string,
    cause: Cause,
    decide: (entity: E) => Change<E> | null,
  ): Promise<E | null>;
}

/** The records of one kind: every change is one write that carries the events it causes. */
export interface Records<E extends Entity>
  extends RecordInserts<E>, RecordReads<E>, RecordUpdates<E> {}

/** The connections and the outbox of the service that opens records. */
export interface RecordsContext extends StartContext {
  readonly store: { readonly db: Db };
  readonly outbox: Outbox;
}

/** The order of every list. */
export const newestFirstIndex = { key: { businessid: 1, createdat: -1, _id: -1 } } as const;

/** Creates the collection's indexes, also those for search if `searchableOf` is given, and opens it. */
export async function openRecords<E extends Entity>(
  context: RecordsContext,
  name: string,
  indexes: readonly IndexDescription[],
  entityOf: EntityOf<E>,
  searchableOf?: (entity: E) => Searchable,
  numbered?: Numbered,
): Promise<Records<E>> {
  const collection = context.store.db.collection<EventfulDocument>(name);
  await ensureIndexes(context, collection, [
    ...indexes,
    ...(searchableOf ? searchIndexes(numbered) : []),
    positionIndex,
    createdByIndex,
  ]);
  const fields = storedFields(searchableOf);
  const outbox = context.outbox;
  const reads = readsFrom(collection, entityOf, numbered);
  return {
    ...insertsInto(collection, outbox, entityOf, fields.all),
    ...reads,
    ...updatesOf(reads, outbox, fields),
  };
}

function readsFrom<E extends Entity>(
  collection: EventfulCollection,
  entityOf: EntityOf<E>,
  numbered: Numbered | undefined,
): RecordReads<E> {
  const recordOf = (document: Document) => storedRecordOf(document, entityOf);
  const findDocument = findBatched(collection);
  return {
    collection,
    find: async (businessid, id) => {
      const document = await findDocument(businessid, id);
      return document && recordOf(document);
    },
    storedRecordOf: recordOf,
    findDue: async (buckets, now, limit) => {
      const found = collection.find(dueFilter(buckets, now), withoutEvents);
      const documents = await found.sort({ bucket: 1, dueat: 1 }).limit(limit).toArray();
      return documents.map(recordOf);
    },
    page: async (businessid, filter, request, leftOut = []) => {
      const business = new ObjectId(businessid);
      const query = await searchQuery(collection, business, request.search, numbered);
      const { documents, paging } = await readPage(
        collection,
        { ...filter, ...query.filter, businessid: business },
        { sort: query.sort, ...without(leftOut) },
        request,
      );
      return { entities: documents.map((document) => recordOf(document).entity), paging };
    },
    findMany: async (businessid, filter, { sort, limit }) => {
      const ofBusiness = { ...filter, businessid: new ObjectId(businessid) };
      const found = collection.find(ofBusiness, withoutEvents).sort(sort).limit(limit);
      return (await found.toArray()).map((document) => recordOf(document).entity);
    },
  };
}

function without(fields: readonly string[]) {
  const leftOut = Object.fromEntries(fields.map((field) => [field, 0]));
  return { projection: { ...withoutEvents.projection, ...leftOut } };
}

function updatesOf<E extends Entity>(
  reads: RecordReads<E>,
  outbox: Outbox,
  fields: StoredFields<E>,
): RecordUpdates<E> {
  const { collection } = reads;

  async function save(before: StoredRecord<E>, { entity, events }: Change<E>, cause: Cause) {
    const { id, businessid } = entity;
    assert(id === before.entity.id, "a record keeps its id");
    const appended = { id, businessid, before: before.eventState, events, cause };
    const [outcome] = await outbox.append(collection, [appended], async ([update]) => {
      const document = await collection.findOneAndUpdate(
        { _id: new ObjectId(id), businessid: new ObjectId(businessid), version: before.version },
        {
          $set: {
            ...fields.changed(before.entity, entity),
            ...update?.set,
            version: before.version + 1,
          },
          $push: { ...update?.push, ...operationPush(cause) },
        },
        { returnDocument: "after" },
      );
      return [document ?? "not written"];
    });
    if (outcome === "not written") throw new VersionConflict(id);
  }

  return {
    save,
    saveMany: saveManyIn(collection, outbox, fields.changed),
    update: async (businessid, id, cause, decide) => {
      let refused: Result<E, Fault> | undefined;
      const updated = await updateRecord<StoredRecord<E>, Change<E>>({
        find: () => reads.find(businessid, id),
        decide: (found) => {
          if (isApplied(found.operations, cause)) return null;
          const decided = decide(found.entity);
          if (decided.ok) return decided.value;
          refused = decided;
          return null;
        },
        save: (found, change) => save(found, change, cause),
        onConflict: "throw",
      });
      if (!updated) return null;
      return refused ?? ok(updated.change?.entity ?? updated.found.entity);
    },
    updateWithRetry: async (businessid, id, cause, decide) => {
      const updated = await updateRecord<StoredRecord<E>, Change<E>>({
        find: () => reads.find(businessid, id),
        decide: (found) => decide(found.entity),
        save: (found, change) => save(found, change, cause),
        onConflict: "retry",
      });
      return updated && (updated.change?.entity ?? updated.found.entity);
    },
  };
}

const batchMax = 100;

interface RecordKey {
  readonly businessid: string;
  readonly id: string;
}

/**
 * Finds single records by business and id. Searches of the same event-loop turn share one query,
 * which costs a tenth of single queries.
 */
function findBatched(collection: EventfulCollection) {
  const find = batchCallsPerTick<RecordKey, Document | null>(batchMax, async (keys) => {
    const filter = { _id: anyOf(keys, "id"), businessid: anyOf(keys, "businessid") };
    const documents = await collection.find(filter, withoutEvents).toArray();
    // The query finds any of the ids in any of the businesses; the pair is checked here.
    const byId = new Map(documents.map((document) => [String(document._id), document]));
    return keys.map(({ businessid, id }) => {
      const found = byId.get(id);
      return found && String(found.businessid) === businessid ? found : null;
    });
  });
  return (businessid: string, id: string): Promise<Document | null> =>
    find({ businessid, id: id.toLowerCase() });
}

function anyOf(keys: readonly RecordKey[], field: keyof RecordKey) {
  return { $in: [...new Set(keys.map((key) => key[field]))].map((id) => new ObjectId(id)) };
}
