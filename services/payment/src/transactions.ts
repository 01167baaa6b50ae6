import { cents } from "@malipo/core";
import { newestFirst, openRecords, type Records, type Service } from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import type { Transaction } from "./transaction.ts";

type SavedTransaction = NonNullable<Awaited<ReturnType<Records<Transaction>["find"]>>>;

export interface Due {
  readonly id: string;
  readonly nextquery: Date;
}

export interface Transactions extends Records<Transaction> {
  /** For loops and callbacks, which know no business. */
  get(id: string): Promise<SavedTransaction | null>;
  /** What this operation has made, if it comes again. */
  madeBy(businessid: string, operationid: string): Promise<SavedTransaction | null>;
  /** Those that somebody has to look at by now. */
  due(now: Date, limit: number): Promise<Due[]>;
  /** One worker looks at it until then; false for all others. */
  claim(due: Due, until: Date): Promise<boolean>;
}

const latest = { createdat: -1, _id: -1 } as const;

const indexes = [
  newestFirst,
  { key: { businessid: 1, state: 1, ...latest } },
  { key: { businessid: 1, customerid: 1, ...latest } },
  { key: { businessid: 1, invoiceid: 1, ...latest } },
  { key: { businessid: 1, phonetail: 1 } },
  {
    key: { nextquery: 1 },
    name: "due",
    partialFilterExpression: { nextquery: { $type: "date" } },
  },
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
    async get(id) {
      const found = await collection.findOne(
        { _id: new ObjectId(id) },
        { projection: { businessid: 1 } },
      );
      return found && records.find(String(found.businessid), id);
    },
    async madeBy(businessid, operationid) {
      const found = await collection.findOne(
        { businessid: new ObjectId(businessid), createdby: operationid },
        { projection: { _id: 1 } },
      );
      return found && records.find(businessid, String(found._id));
    },
    async due(now, limit) {
      const found = await collection
        .find({ nextquery: { $lte: now } }, { projection: { nextquery: 1 } })
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
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
    completedat: fields["completedat"],
  };
}
