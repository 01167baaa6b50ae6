import { addMs, cents, hourMs } from "@malipo/core";
import {
  type Changed,
  type EventfulCollection,
  compareIndex,
  compareParkedIndex,
  type EventfulDocument,
  newestFirst,
  openRecords,
  type Records,
  type Service,
  together,
  VersionConflict,
} from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import { waits } from "../domain/transaction/schedule.ts";
import type { Transaction } from "../domain/transaction/transaction.ts";

/** A transaction with what its next write has to fit. */
export type SavedTransaction = NonNullable<Awaited<ReturnType<Records<Transaction>["find"]>>>;

export interface Due {
  readonly id: string;
  readonly nextquery: Date;
}

export interface Transactions extends Records<Transaction> {
  /** For loops and callbacks, which know no business. */
  get(id: string): Promise<SavedTransaction | null>;
  /**
   * As `save`, in one write with whatever else is to be saved at the time. What says nothing may be
   * told not to fit although it was saved: whoever saves so must bear to decide again.
   */
  saveTogether(...changed: Parameters<Records<Transaction>["save"]>): Promise<void>;
  /** What this operation has made, if it comes again. */
  madeBy(businessid: string, operationid: string): Promise<SavedTransaction | null>;
  /** When prompts by this link were sent that nobody has answered, the newest first. */
  unanswered(businessid: string, linkid: string, now: Date, limit: number): Promise<Date[]>;
  /** How many prompts by this link may still be answered. */
  open(businessid: string, linkid: string, now: Date): Promise<number>;
  /** Those that somebody has to look at by now. */
  due(now: Date, limit: number): Promise<Due[]>;
  /** One worker looks at it until then; false for all others. */
  claim(due: Due, until: Date): Promise<boolean>;
}

/** Nobody was there, or nobody took it up. */
const unansweredReasons = ["unreachable", "expired", "not_delivered", "unresolved"];

const latest = { createdat: -1, _id: -1 } as const;

/** Of those that somebody has to look at; only queries that repeat it can use the index. */
const isAwaited = { $type: "date" } as const;

const indexes = [
  newestFirst,
  { key: { businessid: 1, state: 1, ...latest } },
  { key: { businessid: 1, customerid: 1, ...latest } },
  { key: { businessid: 1, invoiceid: 1, ...latest } },
  { key: { businessid: 1, phonetail: 1 } },
  { key: { businessid: 1, paymentlinkid: 1, ...latest } },
  {
    key: { nextquery: 1 },
    name: "due",
    partialFilterExpression: { nextquery: isAwaited },
  },
  compareIndex,
  compareParkedIndex,
] as const;

export async function openTransactions(service: Service): Promise<Transactions> {
  const records = await openRecords<Transaction>(
    service,
    "transactions",
    indexes,
    (ids, fields) => transactionOf(ids, fields),
    ({ momoreceiptnumber, referenceid }) => ({
      numbers: [momoreceiptnumber],
      texts: [referenceid],
    }),
  );
  const { collection } = records;
  return {
    ...records,
    get: getTogether(collection),
    saveTogether: saveTogether(records),
    async madeBy(businessid, operationid) {
      const made = { businessid: new ObjectId(businessid), createdby: operationid };
      const found = await collection.findOne(made, withoutHistory);
      return found && savedOf(found);
    },
    async unanswered(businessid, linkid, now, limit) {
      const found = await collection
        .find(
          {
            businessid: new ObjectId(businessid),
            paymentlinkid: linkid,
            createdat: { $gt: addMs(now, -2 * hourMs) },
            $or: [
              { reason: { $in: unansweredReasons } },
              { state: "prompted", promptedat: { $lte: addMs(now, -waits.promptMs) } },
            ],
          },
          { projection: { createdat: 1 } },
        )
        .sort(latest)
        .limit(limit)
        .toArray();
      return found.map(({ createdat }) => createdat);
    },
    open: async (businessid, linkid, now) =>
      collection.countDocuments({
        businessid: new ObjectId(businessid),
        paymentlinkid: linkid,
        createdat: { $gt: addMs(now, -waits.promptMs) },
        state: { $in: ["calling", "prompted"] },
      }),
    async due(now, limit) {
      const found = await collection
        .find({ nextquery: { ...isAwaited, $lte: now } }, { projection: { nextquery: 1 } })
        .sort({ nextquery: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, nextquery }) => ({ id: String(_id), nextquery }));
    },
    async claim({ id, nextquery }, until) {
      const claimed = await collection.updateOne(
        { _id: new ObjectId(id), nextquery },
        { $set: { nextquery: until } },
      );
      return claimed.modifiedCount === 1;
    },
  };
}

const withoutHistory = { projection: { events: 0 } } as const;
const groupMax = 100;

function getTogether(collection: EventfulCollection): Transactions["get"] {
  return together<string, SavedTransaction | null>(groupMax, async (ids) => {
    const _id = { $in: ids.map((id) => new ObjectId(id)) };
    const documents = await collection.find({ _id }, withoutHistory).toArray();
    const byId = new Map(documents.map((found) => [String(found._id), savedOf(found)]));
    return ids.map((id) => byId.get(id.toLowerCase()) ?? null);
  });
}

function saveTogether(records: Records<Transaction>): Transactions["saveTogether"] {
  const save = together<Changed<Transaction>, boolean>(groupMax, async (changes) => {
    // Of several that change one transaction, only one can fit.
    const byId = new Map(changes.map((each) => [each.before.entity.id, each] as const));
    const unfit = await records.saveMany([...byId.values()]);
    return changes.map((each) => {
      const { id } = each.before.entity;
      return byId.get(id) === each && !unfit.has(id);
    });
  });
  return async (before, change, cause) => {
    if (!(await save({ before, change, cause }))) throw new VersionConflict(before.entity.id);
  };
}

function savedOf(document: EventfulDocument): SavedTransaction {
  const { _id, businessid, seq, published, ticket } = document;
  return {
    entity: transactionOf({ id: String(_id), businessid: String(businessid) }, document),
    events: { seq, published, ...(ticket && { ticket }) },
    version: document["version"],
    operations: document["operations"] ?? [],
  };
}

/** As it is kept when nobody has changed it yet. */
export function justInserted(entity: Transaction): SavedTransaction {
  return { entity, events: { seq: 0, published: 0 }, version: 1, operations: [] };
}

/** As it is kept after a change that said nothing. */
export function afterSilentSave(before: SavedTransaction, entity: Transaction): SavedTransaction {
  return { ...before, entity, version: before.version + 1 };
}

function transactionOf(
  ids: { readonly id: string; readonly businessid: string },
  fields: Document,
): Transaction {
  return {
    ...ids,
    state: fields["state"],
    amount: cents(fields["amount"]),
    phone: fields["phone"],
    phonetail: fields["phonetail"],
    title: fields["title"],
    holder: fields["holder"],
    referenceid: fields["referenceid"],
    settingsid: fields["settingsid"],
    checkoutrequestid: fields["checkoutrequestid"],
    merchantrequestid: fields["merchantrequestid"],
    responsedescription: fields["responsedescription"],
    momoreceiptnumber: fields["momoreceiptnumber"],
    reason: fields["reason"],
    refusal: fields["refusal"],
    invoiceid: fields["invoiceid"],
    subscriptionid: fields["subscriptionid"],
    customerid: fields["customerid"],
    paymentlinkid: fields["paymentlinkid"],
    invoiceno: fields["invoiceno"] ?? null,
    customername: fields["customername"] ?? null,
    savedat: fields["savedat"],
    calledat: fields["calledat"],
    promptedat: fields["promptedat"],
    announced: fields["announced"],
    early: fields["early"],
    answerlost: fields["answerlost"],
    paidsince: fields["paidsince"],
    claimedreceipt: fields["claimedreceipt"],
    suspended: fields["suspended"],
    assigned: fields["assigned"],
    queries: fields["queries"],
    nextquery: fields["nextquery"],
    bucket: fields["bucket"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
    completedat: fields["completedat"],
  };
}
