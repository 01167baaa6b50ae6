import type { DeliveryStatus, Paging } from "@malipo/contracts";
import {
  type Cause,
  duplicatesOf,
  ensureIndexes,
  type PageRequest,
  readPage,
  type Service,
  type Starting,
} from "@malipo/platform";
import { type Collection, type Filter, ObjectId, type UpdateFilter } from "mongodb";
import type { Delivery } from "../domain/delivery.ts";
import {
  attemptedDocumentOf,
  type AttemptResult,
  type DeliveryDocument,
  deliveryFrom,
  documentOf,
  type DueDelivery,
  dueFrom,
  type NewDelivery,
  noting,
  outcomeWrite,
  sendingAgain,
  type UnwrittenDelivery,
} from "./delivery-document.ts";

const operationsMax = 20;
const droppedAtOnceMax = 500;
const resentAtOnceMax = 1_000;

interface ListRequest extends PageRequest {
  readonly status?: DeliveryStatus | undefined;
  readonly type?: string | undefined;
}

export interface Deliveries {
  /** What is there already stays as it is. */
  insert(deliveries: readonly NewDelivery[]): Promise<void>;
  /** Which of these are written down. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  due(
    endpointid: string,
    now: Date,
    request: { readonly except: readonly string[]; readonly limit: number },
  ): Promise<readonly DueDelivery[]>;
  /** When the endpoint's next delivery is due, at all or later than that; null if none waits. */
  nextDueAt(endpointid: string, after?: Date): Promise<Date | null>;
  record(results: readonly AttemptResult[]): Promise<void>;
  /** Of deliveries that are not there yet. */
  recordFirst(results: readonly AttemptResult<UnwrittenDelivery>[]): Promise<void>;
  find(businessid: string, id: string): Promise<Delivery | null>;
  page(
    businessid: string,
    endpointid: string,
    request: ListRequest,
  ): Promise<{ deliveries: readonly Omit<Delivery, "body" | "log">[]; paging: Paging }>;
  /** Due at once and with all its tries; null if it is not there. */
  resend(businessid: string, id: string, cause: Cause): Promise<Delivery | null>;
  /** The oldest failures first; how many there were of them, up to a bound. */
  resendFailed(
    endpointid: string,
    since: Date,
    now: Date,
  ): Promise<{ readonly resent: number; readonly more: boolean }>;
  /** Some of what waits since before a moment; how many. */
  drop(endpointid: string, until: Date, now: Date): Promise<number>;
}

/** Tests and what a person sends again go before everything that waits. */
export const firstOfAll = new Date(0);

export async function openDeliveries(
  service: Pick<Service, "store"> & Starting,
): Promise<Deliveries> {
  const collection = service.store.db.collection<DeliveryDocument>("deliveries");
  await ensureIndexes(service, collection, [
    // Holds only what waits: finding it costs the same however much has been delivered.
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
      const present = await insertAll(collection, results.map(attemptedDocumentOf));
      await record(
        collection,
        results.filter((_, index) => present.has(index)),
      );
    },
    insert: async (deliveries) => {
      await insertAll(collection, deliveries.map(documentOf));
    },
  };
}

const dueFields = {
  endpointid: 1,
  eventid: 1,
  type: 1,
  resourceid: 1,
  sequence: 1,
  body: 1,
  tries: 1,
  version: 1,
  traceparent: 1,
} as const;

function readsOf(collection: Collection<DeliveryDocument>) {
  const reads: Pick<Deliveries, "known" | "due" | "nextDueAt" | "find" | "page"> = {
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
      return documents.map(dueFrom);
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
  const changes: Pick<Deliveries, "resend" | "resendFailed" | "drop"> = {
    resend: async (businessid, id, { now, operationid }) => {
      const key = { _id: new ObjectId(id), businessid: new ObjectId(businessid) };
      const changed = await collection.findOneAndUpdate(
        { ...key, ...(operationid !== undefined && { operations: { $ne: operationid } }) },
        {
          ...sendingAgain(firstOfAll, now),
          ...(operationid !== undefined && {
            $push: { operations: { $each: [operationid], $slice: -operationsMax } },
          }),
        },
        { returnDocument: "after" },
      );
      // Repeated, it is a success and no second effect.
      const found = changed ?? (await collection.findOne(key));
      return found && deliveryFrom(found);
    },
    resendFailed: async (endpointid, since, now) => {
      const failed = await collection
        .find(
          { endpointid: new ObjectId(endpointid), failedat: { $gte: since, $lte: now } },
          { projection: { version: 1 } },
        )
        .sort({ failedat: 1 })
        .limit(resentAtOnceMax)
        .toArray();
      const resent = await updateAsRead(collection, failed, sendingAgain(now, now));
      return { resent, more: failed.length === resentAtOnceMax };
    },
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
        .limit(droppedAtOnceMax)
        .toArray();
      await updateAsRead(collection, waiting, {
        $set: { status: "dropped", updatedat: now },
        $unset: { dueat: true, failedat: true },
        $inc: { version: 1 },
      });
      return waiting.length;
    },
  };
  return changes;
}

async function updateAsRead(
  collection: Collection<DeliveryDocument>,
  documents: readonly Pick<DeliveryDocument, "_id" | "version">[],
  update: UpdateFilter<DeliveryDocument>,
): Promise<number> {
  if (documents.length === 0) return 0;
  const { matchedCount } = await collection.bulkWrite(
    documents.map(({ _id, version }) => ({ updateOne: { filter: { _id, version }, update } })),
    { ordered: false },
  );
  return matchedCount;
}

/**
 * What an attempt made of a delivery is written only if the delivery is as it was read. Else
 * somebody sent it again or dropped it meanwhile, and the attempt is just noted down, once.
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
        update: noting(attempt),
      },
    })),
    { ordered: false },
  );
}

/** Says which were there already, by their places; those stay as they are. */
async function insertAll(
  collection: Collection<DeliveryDocument>,
  documents: readonly DeliveryDocument[],
): Promise<ReadonlySet<number>> {
  if (documents.length === 0) return new Set();
  return duplicatesOf(() => collection.insertMany([...documents], { ordered: false }));
}
