import type { NewEvent, Paging } from "@malipo/contracts";
import { bucketCount } from "@malipo/core";
import {
  type Cause,
  type RecordChange,
  reconciliationIndex,
  parkedReconciliationIndex,
  dueFilter,
  dueIndex,
  type EventfulCollection,
  newestFirstIndex,
  type Numbered,
  openRecords,
  type PageRequest,
  type ParkedPlace,
  parkedIndexOf,
  type Records,
  runningPart,
  type StoredRecord,
  type Service,
  withoutEvents,
} from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import type { Change } from "../domain/lifecycle/change.ts";
import { schedule } from "../domain/lifecycle/schedule.ts";
import type { Subscription, SummarizedSubscription } from "../domain/lifecycle/subscription.ts";
import {
  fromStored,
  type SubscriptionFields,
  storedFrom,
  toStored,
} from "./subscription-document.ts";

export type StoredSubscription = StoredRecord<Subscription>;

/** A decision about a subscription that was read before. */
export interface SubscriptionChange {
  readonly before: StoredSubscription;
  readonly change: Change;
  readonly cause: Cause;
}

interface SubscriptionFilter {
  readonly status?: Subscription["status"];
  readonly customerid?: string;
}

/** All writes except `saveSchedule` compute `dueat` from the new state and clear earlier failures. */
export interface Subscriptions {
  readonly collection: EventfulCollection;
  /** Returns the stored subscription: the first one if the operation is repeated. */
  insert(entity: Subscription, events: readonly NewEvent[], cause: Cause): Promise<Subscription>;
  find(businessid: string, id: string): Promise<StoredSubscription | null>;
  /** For operators, who do not know the business. */
  findAnywhere(id: string): Promise<Subscription | null>;
  page(
    businessid: string,
    filter: SubscriptionFilter,
    request: PageRequest & { readonly search?: string | undefined },
  ): Promise<{ entities: SummarizedSubscription[]; paging: Paging }>;
  isPlanUsed(businessid: string, planid: string): Promise<boolean>;
  /** The due subscriptions of these buckets, of all businesses, oldest first in each bucket. */
  findDue(buckets: readonly number[], now: Date, limit: number): Promise<StoredSubscription[]>;
  /** The subscriptions of all businesses that are due until a date. */
  listDueUntil(at: Date, page: number, limit: number): Promise<Subscription[]>;
  /** Rejects with `VersionConflict` if another writer has changed the record since it was read. */
  save(before: StoredSubscription, change: Change, cause: Cause): Promise<void>;
  /** Saves in one command. Returns the ids of the records that another writer has changed. */
  saveMany(changes: readonly SubscriptionChange[]): Promise<ReadonlySet<string>>;
  /** Decides on the current record, and again after each conflict. Null changes nothing. */
  updateWithRetry(
    businessid: string,
    id: string,
    now: Date,
    decide: (subscription: Subscription) => Change | null,
  ): Promise<void>;
  /** Saves a later `dueat` as given. No decision was made. */
  saveSchedule(before: StoredSubscription, later: Subscription, now: Date): Promise<void>;
  /** Makes the subscriptions due that waited for their business to be resumed. */
  releaseHeldBack(businessid: string, now: Date): Promise<void>;
}

export const subscriptionNumbers: Numbered = { field: "subscriptionno", prefix: "SUB" };

/** Newest first within a status, or of one customer. */
const byStatus = { key: { businessid: 1, status: 1, createdat: -1, _id: -1 } } as const;
const byCustomer = { key: { businessid: 1, customerid: 1, createdat: -1, _id: -1 } } as const;
const byPlan = {
  key: { businessid: 1, planid: 1 },
  name: "plan",
  partialFilterExpression: { planid: { $gt: "" } },
} as const;
const parkedSince = "parked.at";
const parkedIndex = parkedIndexOf(parkedSince, "parked");

const isHeldBack = { heldback: { $gt: new Date(0) } } as const;
const heldBackIndex = {
  key: { businessid: 1, heldback: 1 },
  name: "held-back",
  partialFilterExpression: isHeldBack,
} as const;

const allBuckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);
const releaseBatchMax = 500;
const releaseBatchesMax = 10_000;

export async function openSubscriptions(service: Service): Promise<Subscriptions> {
  const records = await openRecords<SubscriptionFields>(
    service,
    "subscriptions",
    [
      newestFirstIndex,
      byStatus,
      byCustomer,
      byPlan,
      dueIndex,
      parkedIndex,
      heldBackIndex,
      reconciliationIndex,
      parkedReconciliationIndex,
    ],
    storedFrom,
    ({ subscriptionno, title }) => ({
      texts: [subscriptionno, runningPart(subscriptionno), title],
    }),
    subscriptionNumbers,
  );
  const { collection } = records;
  return {
    collection,
    ...readsOf(records),
    ...writesOf(records),
    releaseHeldBack: async (businessid, now) => releaseHeldBack(collection, businessid, now),
  };
}

function readsOf(records: Records<SubscriptionFields>) {
  const { collection } = records;
  const toSubscription = (document: Document) =>
    fromStored(records.storedRecordOf(document).entity);
  return {
    find: async (businessid, id) => {
      const found = await records.find(businessid, id);
      return found && fromStoredRecord(found);
    },
    findAnywhere: async (id) => {
      const found = await collection.findOne({ _id: new ObjectId(id) }, withoutEvents);
      return found && toSubscription(found);
    },
    page: async (businessid, filter, request) => {
      const leftOut = ["items", "history"] as const;
      return records.page(businessid, filter, request, leftOut);
    },
    isPlanUsed: async (businessid, planid) => {
      const used = await collection.findOne({ businessid: new ObjectId(businessid), planid });
      return used !== null;
    },
    findDue: async (buckets, now, limit) => {
      const due = await records.findDue(buckets, now, limit);
      return due.map(fromStoredRecord);
    },
    listDueUntil: async (at, page, limit) => {
      const found = await collection
        .find(dueFilter(allBuckets, at), withoutEvents)
        .sort({ bucket: 1, dueat: 1, _id: 1 })
        .skip((page - 1) * limit)
        .limit(limit)
        .toArray();
      return found.map(toSubscription);
    },
  } satisfies Partial<Subscriptions>;
}

function writesOf(records: Records<SubscriptionFields>) {
  return {
    insert: async (entity, events, cause) =>
      fromStored(await records.insert(toStored(schedule(entity, cause.now)), events, cause)),
    save: async (before, change, cause) =>
      records.save(toStoredRecord(before), scheduledChange(change, cause.now), cause),
    saveMany: async (changes) =>
      records.saveMany(
        changes.map(({ before, change, cause }): RecordChange<SubscriptionFields> => ({
          before: toStoredRecord(before),
          change: scheduledChange(change, cause.now),
          cause,
        })),
      ),
    updateWithRetry: async (businessid, id, now, decide) => {
      await records.updateWithRetry(businessid, id, { now }, (stored) => {
        const change = decide(fromStored(stored));
        return change && scheduledChange(change, now);
      });
    },
    saveSchedule: async (before, later, now) =>
      records.save(toStoredRecord(before), { entity: toStored(later), events: [] }, { now }),
  } satisfies Partial<Subscriptions>;
}

const fromStoredRecord = (record: StoredRecord<SubscriptionFields>): StoredSubscription => ({
  ...record,
  entity: fromStored(record.entity),
});

const toStoredRecord = (saved: StoredSubscription): StoredRecord<SubscriptionFields> => ({
  ...saved,
  entity: toStored(saved.entity),
});

function scheduledChange({ entity, events }: Change, now: Date) {
  return { entity: toStored(schedule(entity, now)), events };
}

async function releaseHeldBack(
  collection: EventfulCollection,
  businessid: string,
  now: Date,
): Promise<void> {
  for (let batches = 0; batches < releaseBatchesMax; batches += 1) {
    const found = await collection
      .find({ businessid: new ObjectId(businessid), ...isHeldBack }, { projection: { version: 1 } })
      .limit(releaseBatchMax)
      .toArray();
    if (found.length === 0) return;
    await collection.bulkWrite(
      found.map(({ _id, version }: Document) => ({
        updateOne: {
          filter: { _id, version },
          update: { $set: { dueat: now, heldback: null, version: version + 1 } },
        },
      })),
    );
  }
  throw new Error(`subscriptions of business ${businessid} are held back faster than released`);
}

export function parkedSubscriptions({ collection }: Subscriptions): ParkedPlace {
  return {
    collection,
    since: parkedSince,
    view: ({ parked: { reason, at }, tries }) => ({ reason, tries, at }),
    revive: (now) => ({ dueat: now, tries: 0, parked: null }),
  };
}
