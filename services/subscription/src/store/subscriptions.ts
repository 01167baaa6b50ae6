import { bucketCount, cents } from "@malipo/core";
import {
  type Cause,
  compareIndex,
  compareParkedIndex,
  dueFilter,
  dueIndex,
  newestFirst,
  type Numbered,
  openRecords,
  type ParkedPlace,
  parkedIndexOf,
  type Records,
  runningPart,
  type Saved,
  type Service,
  withoutEvents,
} from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import type { Item, Subscription } from "../domain/lifecycle/subscription.ts";
import { scheduled } from "../domain/lifecycle/schedule.ts";

const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);
const releasedMax = 500;
const releasesMax = 10_000;

type Kept = Pick<
  Records<Subscription>,
  "collection" | "insert" | "find" | "dueWithin" | "page" | "save" | "saveMany"
>;

/** Whatever is saved is scheduled anew by what it has become, unless it is put off. */
export interface Subscriptions extends Kept {
  /** The same, at a later time: nothing was decided. */
  putOff(before: Saved<Subscription>, later: Subscription, cause: Cause): Promise<void>;
  /** Makes due what waited for its business to be back. */
  releaseHeldBack(businessid: string, now: Date): Promise<void>;
  isPlanUsed(businessid: string, planid: string): Promise<boolean>;
  /** What is due until a moment, of all businesses. */
  dueUntil(at: Date, page: number, limit: number): Promise<Subscription[]>;
  /** Whosever it is: for operators. */
  findAnywhere(id: string): Promise<Subscription | null>;
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

async function releaseHeldBack(
  { collection }: Pick<Subscriptions, "collection">,
  businessid: string,
  now: Date,
): Promise<void> {
  for (let batches = 0; batches < releasesMax; batches += 1) {
    const found = await collection
      .find({ businessid: new ObjectId(businessid), ...isHeldBack }, { projection: { version: 1 } })
      .limit(releasedMax)
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
  throw new Error(`business ${businessid} is held back again and again`);
}

export function parkedSubscriptions({ collection }: Subscriptions): ParkedPlace {
  return {
    collection,
    since: parkedSince,
    view: ({ parked: { reason, at }, tries }) => ({ reason, tries, at }),
    revive: (now) => ({ dueat: now, tries: 0, parked: null }),
  };
}

export async function openSubscriptions(service: Service): Promise<Subscriptions> {
  const records = await openRecords<Subscription>(
    service,
    "subscriptions",
    [
      newestFirst,
      byStatus,
      byCustomer,
      byPlan,
      dueIndex,
      parkedIndex,
      heldBackIndex,
      compareIndex,
      compareParkedIndex,
    ],
    subscriptionOf,
    ({ subscriptionno, title }) => ({
      texts: [subscriptionno, runningPart(subscriptionno), title],
    }),
    subscriptionNumbers,
  );
  const { collection } = records;
  return {
    ...records,
    insert: (entity, news, cause) => records.insert(scheduled(entity, cause.now), news, cause),
    save: (before, { entity, events }, cause) =>
      records.save(before, { entity: scheduled(entity, cause.now), events }, cause),
    saveMany: (changes) =>
      records.saveMany(
        changes.map(({ before, change, cause }) => {
          const entity = scheduled(change.entity, cause.now);
          return { before, change: { entity, events: change.events }, cause };
        }),
      ),
    putOff: (before, later, cause) => records.save(before, { entity: later, events: [] }, cause),
    releaseHeldBack: async (businessid, now) => releaseHeldBack(records, businessid, now),
    isPlanUsed: async (businessid, planid) => {
      const used = await collection.findOne({ businessid: new ObjectId(businessid), planid });
      return used !== null;
    },
    dueUntil: async (at, page, limit) => {
      const found = await collection
        .find(dueFilter(buckets, at), withoutEvents)
        .sort({ bucket: 1, dueat: 1, _id: 1 })
        .skip((page - 1) * limit)
        .limit(limit)
        .toArray();
      return found.map(anyOf);
    },
    findAnywhere: async (id) => {
      const found = await collection.findOne({ _id: new ObjectId(id) }, withoutEvents);
      return found && anyOf(found);
    },
  };
}

function anyOf(document: Document): Subscription {
  const ids = { id: String(document["_id"]), businessid: String(document["businessid"]) };
  return subscriptionOf(ids, document);
}

/** As it was saved; what is a brand to the compiler is checked once more. */
function subscriptionOf(ids: { id: string; businessid: string }, fields: Document): Subscription {
  return {
    ...ids,
    subscriptionno: fields["subscriptionno"],
    title: fields["title"],
    status: fields["status"],
    customerid: fields["customerid"],
    items: fields["items"] as Item[],
    amount: cents(fields["amount"]),
    billingcycle: fields["billingcycle"],
    autorenew: fields["autorenew"],
    planid: fields["planid"],
    trial: fields["trial"],
    enddate: fields["enddate"],
    remark: fields["remark"],
    cancelreason: fields["cancelreason"],
    code: fields["code"],
    rhythm: fields["rhythm"],
    nextbillingdate: fields["nextbillingdate"],
    coveredthrough: fields["coveredthrough"],
    pendingsince: fields["pendingsince"],
    expiring: fields["expiring"],
    expirefrom: fields["expirefrom"],
    withdrawing: fields["withdrawing"],
    byhand: fields["byhand"],
    invoices: fields["invoices"],
    prompts: fields["prompts"],
    history: fields["history"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
    bucket: fields["bucket"],
    dueat: fields["dueat"],
    tries: fields["tries"],
    parked: fields["parked"],
    heldback: fields["heldback"] ?? null,
  };
}
