import type { DeliveryStatus, Paging } from "@malipo/contracts";
import {
  type Cause,
  duplicatesOf,
  ensureIndexes,
  type PageRequest,
  readPage,
  type Service,
  type StartContext,
} from "@malipo/platform";
import { type Collection, type Filter, ObjectId, type UpdateFilter } from "mongodb";
import type {
  AttemptResult,
  Delivery,
  DueDelivery,
  NewDelivery,
  UnstoredDelivery,
} from "../domain/delivery.ts";
import {
  addingAttempt,
  attemptedDocumentOf,
  type DeliveryDocument,
  deliveryFrom,
  documentOf,
  dueDeliveryFrom,
  dueFields,
  outcomeWrite,
  resending,
} from "./delivery-document.ts";

/** The last operations that a delivery remembers, so that a repeated resend has no second effect. */
const operationsMax = 20;
const dropBatchMax = 500;
const resendBatchMax = 1_000;

interface ListRequest extends PageRequest {
  readonly status?: DeliveryStatus | undefined;
  readonly type?: string | undefined;
}

type DeliveryVersion = Pick<DeliveryDocument, "_id" | "version">;

export interface Deliveries {
  /** Leaves deliveries that are stored already as they are. */
  insert(deliveries: readonly NewDelivery[]): Promise<void>;
  /** The ids among these that are stored. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  due(
    endpointid: string,
    now: Date,
    request: { readonly except: readonly string[]; readonly limit: number },
  ): Promise<readonly DueDelivery[]>;
  /** Due time of the endpoint's next delivery, the first after `after` if given; null if none waits. */
  nextDueAt(endpointid: string, after?: Date): Promise<Date | null>;
  record(results: readonly AttemptResult[]): Promise<void>;
  /** Stores deliveries together with their first attempts. */
  recordFirst(results: readonly AttemptResult<UnstoredDelivery>[]): Promise<void>;
  find(businessid: string, id: string): Promise<Delivery | null>;
  page(
    businessid: string,
    endpointid: string,
    request: ListRequest,
  ): Promise<{ deliveries: readonly Omit<Delivery, "body" | "log">[]; paging: Paging }>;
  /** The delivery, if this operation has resent it before; null if not, or if there is no such. */
  findResent(businessid: string, id: string, cause: Cause): Promise<Delivery | null>;
  /**
   * Makes the delivery due with all its tries, at `dueat` (by default at once) unless it is due
   * before; null if there is none.
   */
  resend(businessid: string, id: string, cause: Cause, dueat?: Date): Promise<Delivery | null>;
  /** A batch of the oldest failures. `more`: there may be others beyond it. */
  failedSince(
    endpointid: string,
    since: Date,
    now: Date,
  ): Promise<{ readonly failed: readonly DeliveryVersion[]; readonly more: boolean }>;
  /** Makes each delivery due in its turn unless it is due before, with all its tries, and counts them. */
  resendMany(
    deliveries: readonly DeliveryVersion[],
    turns: readonly Date[],
    now: Date,
  ): Promise<number>;
  /** Drops a batch of the waiting deliveries created up to `until`, and counts them. */
  drop(endpointid: string, until: Date, now: Date): Promise<number>;
}

/** Tests and resends go before all other waiting deliveries, and a test before resends. */
export const testDueAt = new Date(0);
export const resendDueAt = new Date(1);

export async function openDeliveries(
  service: Pick<Service, "store"> & StartContext,
): Promise<Deliveries> {
  const collection = service.store.db.collection<DeliveryDocument>("deliveries");
  await ensureIndexes(service, collection, [
    // Contains waiting deliveries only, so finding them costs the same however many are delivered.
    {
      key: { endpointid: 1, dueat: 1 },
      name: "due",
      partialFilterExpression: { dueat: { $exists: true } },
    },
    {
      key: { endpointid: 1, failedat: 1 },
      name: "failed",
      partialFilterExpression: { failedat: { $exists: true } },
    },
    { key: { businessid: 1, endpointid: 1, createdat: -1, _id: -1 } },
    { key: { expiresat: 1 }, expireAfterSeconds: 0 },
  ]);
  return {
    ...readsOf(collection),
    ...changesOf(collection),
    record: (results) => record(collection, results),
    recordFirst: async (results) => {
      const stored = await insertAll(collection, results.map(attemptedDocumentOf));
      await record(
        collection,
        results.filter((_, index) => stored.has(index)),
      );
    },
    insert: async (deliveries) => {
      await insertAll(collection, deliveries.map(documentOf));
    },
  };
}

function readsOf(collection: Collection<DeliveryDocument>) {
  const reads: Pick<Deliveries, "known" | "due" | "nextDueAt" | "find" | "findResent" | "page"> = {
    known: async (ids) => {
      if (ids.length === 0) return new Set();
      const found = await collection
        .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } }, { projection: { _id: 1 } })
        .toArray();
      return new Set(found.map(({ _id }) => String(_id)));
    },
    due: async (endpointid, now, { except, limit }) => {
      const documents = await collection
        .find(
          {
            endpointid: new ObjectId(endpointid),
            dueat: { $lte: now },
            ...(except.length > 0 && { _id: { $nin: except.map((id) => new ObjectId(id)) } }),
          },
          { projection: dueFields },
        )
        .sort({ dueat: 1 })
        .limit(limit)
        .toArray();
      return documents.map(dueDeliveryFrom);
    },
    nextDueAt: async (endpointid, after) => {
      const [next] = await collection
        .find(
          {
            endpointid: new ObjectId(endpointid),
            dueat: after ? { $gt: after } : { $exists: true },
          },
          { projection: { dueat: 1 } },
        )
        .sort({ dueat: 1 })
        .limit(1)
        .toArray();
      return next?.dueat ?? null;
    },
    find: async (businessid, id) => {
      const found = await collection.findOne({
        _id: new ObjectId(id),
        businessid: new ObjectId(businessid),
      });
      return found && deliveryFrom(found);
    },
    findResent: async (businessid, id, { operationid }) => {
      if (operationid === undefined) return null;
      const key = { _id: new ObjectId(id), businessid: new ObjectId(businessid) };
      const found = await collection.findOne({ ...key, operations: operationid });
      return found && deliveryFrom(found);
    },
    page: async (businessid, endpointid, { status, type, ...request }) => {
      const filter: Filter<DeliveryDocument> = {
        businessid: new ObjectId(businessid),
        endpointid: new ObjectId(endpointid),
        ...(status !== undefined && { status }),
        ...(type !== undefined && { type }),
      };
      const { documents, paging } = await readPage(
        collection,
        filter,
        { sort: { createdat: -1, _id: -1 }, projection: { body: 0, log: 0, operations: 0 } },
        request,
      );
      return { deliveries: documents.map(deliveryFrom), paging };
    },
  };
  return reads;
}

function changesOf(collection: Collection<DeliveryDocument>) {
  const changes: Pick<Deliveries, "resend" | "failedSince" | "resendMany" | "drop"> = {
    resend: async (businessid, id, { now, operationid }, dueat = resendDueAt) => {
      const key = { _id: new ObjectId(id), businessid: new ObjectId(businessid) };
      const changed = await collection.findOneAndUpdate(
        { ...key, ...(operationid !== undefined && { operations: { $ne: operationid } }) },
        {
          ...resending(dueat, now),
          ...(operationid !== undefined && {
            $push: { operations: { $each: [operationid], $slice: -operationsMax } },
          }),
        },
        { returnDocument: "after" },
      );
      // A repeated operation succeeds and has no second effect.
      const found = changed ?? (await collection.findOne(key));
      return found && deliveryFrom(found);
    },
    failedSince: async (endpointid, since, now) => {
      const failed = await collection
        .find(
          { endpointid: new ObjectId(endpointid), failedat: { $gte: since, $lte: now } },
          { projection: { version: 1 } },
        )
        .sort({ failedat: 1 })
        .limit(resendBatchMax)
        .toArray();
      return { failed, more: failed.length === resendBatchMax };
    },
    resendMany: (failed, turns, now) =>
      updateVersions(collection, failed, (index) => resending(turns[index] ?? now, now)),
    drop: async (endpointid, until, now) => {
      const waiting = await collection
        .find(
          {
            endpointid: new ObjectId(endpointid),
            dueat: { $exists: true },
            createdat: { $lte: until },
          },
          { projection: { version: 1 } },
        )
        .limit(dropBatchMax)
        .toArray();
      await updateVersions(collection, waiting, () => ({
        $set: { status: "dropped", updatedat: now },
        $unset: { dueat: true, failedat: true },
        $inc: { version: 1 },
      }));
      return waiting.length;
    },
  };
  return changes;
}

/** Updates only documents that still have the version that was read. */
async function updateVersions(
  collection: Collection<DeliveryDocument>,
  documents: readonly DeliveryVersion[],
  updateOf: (index: number) => UpdateFilter<DeliveryDocument>,
): Promise<number> {
  if (documents.length === 0) return 0;
  const { matchedCount } = await collection.bulkWrite(
    documents.map(({ _id, version }, index) => ({
      updateOne: { filter: { _id, version }, update: updateOf(index) },
    })),
    { ordered: false },
  );
  return matchedCount;
}

/**
 * Stores an outcome only on the version of the delivery that was read. A delivery that was resent or
 * dropped in between keeps its state: then the attempt is only added to its log, once.
 */
async function record(
  collection: Collection<DeliveryDocument>,
  results: readonly AttemptResult[],
): Promise<void> {
  if (results.length === 0) return;
  const written = await collection.bulkWrite(results.map(outcomeWrite), { ordered: false });
  if (written.matchedCount === results.length) return;
  await collection.bulkWrite(
    results.map(({ delivery, attempt }) => ({
      updateOne: {
        filter: { _id: new ObjectId(delivery.id), "log.id": { $ne: attempt.id } },
        update: addingAttempt(attempt),
      },
    })),
    { ordered: false },
  );
}

/** Returns the positions of the documents that were stored already; those stay as they are. */
async function insertAll(
  collection: Collection<DeliveryDocument>,
  documents: readonly DeliveryDocument[],
): Promise<ReadonlySet<number>> {
  if (documents.length === 0) return new Set();
  return duplicatesOf(() => collection.insertMany([...documents], { ordered: false }));
}
