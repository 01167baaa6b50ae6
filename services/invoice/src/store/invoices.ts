import type { InvoiceStatus, IssueKey, NewEvent, Paging } from "@malipo/contracts";
import type { Fault, Result } from "@malipo/core";
import {
  type Cause,
  dueFilter,
  dueIndex,
  type EventfulCollection,
  isApplied,
  type NewRecord,
  newestFirstIndex,
  type Numbered,
  openRecords,
  type PageRequest,
  parkedIndexOf,
  type ParkedPlace,
  type Records,
  runningPart,
  type StoredRecord,
  type Service,
  updateRecord,
} from "@malipo/platform";
import { ObjectId } from "mongodb";
import {
  formatIssueKey,
  type Invoice,
  type InvoiceChange,
  type OverdueFailure,
  type SummarizedInvoice,
} from "../domain/invoice/invoice.ts";
import { fromStored, readFields, type StoredInvoice, toStored } from "./invoice-document.ts";

export interface Invoices {
  readonly collection: EventfulCollection;
  /** Answers the invoice of the first attempt when the operation is repeated. */
  insert(invoice: Invoice, events: readonly NewEvent[], cause: Cause): Promise<Invoice>;
  /** Leaves out invoices whose issue key already has one. Answers how many were new. */
  insertMany(invoices: readonly NewRecord<Invoice>[]): Promise<number>;
  find(businessid: string, id: string): Promise<Invoice | null>;
  page(
    businessid: string,
    filter: { readonly status?: InvoiceStatus; readonly customerid?: string },
    request: PageRequest & { readonly search?: string | undefined },
  ): Promise<{ invoices: SummarizedInvoice[]; paging: Paging }>;
  /** The open invoices with a balance, oldest first. */
  listOwed(businessid: string, owner: InvoiceOwner, limit: number): Promise<readonly Invoice[]>;
  findIssued(businessid: string, key: IssueKey): Promise<Invoice | null>;
  /** The invoices of these bills, in the same order; null for a bill without an invoice. */
  findIssuedMany(bills: readonly Bill[]): Promise<readonly (IssuedInvoice | null)[]>;
  /** The keys of all payments on these invoices; the invoices may be of several businesses. */
  listPaymentKeys(ids: readonly string[]): Promise<readonly InvoicePaymentKeys[]>;
  /**
   * Reads an invoice, decides, and saves the change. Decides again after a conflict with another
   * writer. A repeated operation changes nothing. Null: no such invoice.
   */
  update(
    businessid: string,
    id: string,
    cause: Cause,
    decide: (invoice: Invoice) => Result<InvoiceChange | null, Fault>,
  ): Promise<InvoiceUpdate | null>;
  /** The invoices in these buckets whose due date is reached, oldest first in each bucket. */
  listDue(buckets: readonly number[], now: Date, limit: number): Promise<readonly DueInvoice[]>;
  /** Stores a failed attempt to turn an invoice overdue. `dueat` is the time of the next attempt. */
  postponeDue(due: DueInvoice, failure: OverdueFailure, dueat: Date | null): Promise<void>;
}

type InvoiceOwner = { readonly customerid: string } | { readonly subscriptionid: string };

interface Bill extends IssueKey {
  readonly businessid: string;
}

interface IssuedInvoice extends Pick<Invoice, "id" | "status" | "duedate" | "appliedDueDates"> {
  /** The sequence number of its newest event. */
  readonly seq: number;
}

interface InvoicePaymentKeys {
  readonly id: string;
  readonly businessid: string;
  readonly keys: readonly string[];
}

interface InvoiceUpdate {
  /** The invoice as it is afterwards. */
  readonly invoice: Invoice;
  readonly isChanged: boolean;
  /** Why the decision refused the change. */
  readonly fault: Fault | null;
}

export interface DueInvoice {
  readonly id: string;
  readonly businessid: string;
  readonly dueat: Date;
  /** The earlier attempts that failed. */
  readonly tries: number;
}

export const invoiceNumbers: Numbered = { field: "invoiceno", prefix: "INV" };

const byStatus = { key: { businessid: 1, status: 1, createdat: -1, _id: -1 } } as const;
const byCustomer = { key: { businessid: 1, "customer.id": 1, createdat: -1, _id: -1 } } as const;

const oldestFirst = { createdat: 1, _id: 1 } as const;
/** The conditions of partial indexes. A query must repeat them to use the index. */
const isOwed = { owed: { $gt: 0 } } as const;
const anyText = { $gt: "" } as const;
const owedByCustomer = {
  key: { businessid: 1, "customer.id": 1, ...oldestFirst },
  name: "owed-by-customer",
  partialFilterExpression: isOwed,
} as const;
const owedBySubscription = {
  key: { businessid: 1, "issuedfor.subscriptionid": 1, ...oldestFirst },
  name: "owed-for-subscription",
  partialFilterExpression: { "issuedfor.subscriptionid": anyText, ...isOwed },
} as const;

/** One invoice per billed period or request. */
const issuedOnce = {
  key: { businessid: 1, issuekey: 1 },
  name: "issued-once",
  unique: true,
  partialFilterExpression: { issuekey: anyText },
} as const;

const parkedSince = "duefailed.parkedat";

export async function openInvoices(service: Service): Promise<Invoices> {
  const records = await openRecords<StoredInvoice>(
    service,
    "invoices",
    [
      newestFirstIndex,
      byStatus,
      byCustomer,
      owedByCustomer,
      owedBySubscription,
      issuedOnce,
      dueIndex,
      parkedIndexOf(parkedSince, "parked"),
    ],
    readFields,
    ({ invoiceno, title, description }) => ({
      texts: [invoiceno, runningPart(invoiceno), title, description],
    }),
    invoiceNumbers,
  );
  return {
    ...readsFrom(records),
    ...issuedIn(records),
    ...dueIn(records.collection),
    insert: async (invoice, events, cause) =>
      fromStored(await records.insert(toStored(invoice), events, cause)),
    insertMany: async (invoices) =>
      records.insertMany(invoices.map((each) => ({ ...each, entity: toStored(each.entity) }))),
    update: updateIn(records),
  };
}

/** The invoices that could not be turned overdue. */
export function parkedInvoices({ collection }: Invoices): ParkedPlace {
  return {
    collection,
    since: parkedSince,
    view: ({ duefailed: { reason, tries, parkedat } }) => ({ reason, tries, at: parkedat }),
    revive: (now) => ({ dueat: now, duefailed: null }),
  };
}

function readsFrom(
  records: Records<StoredInvoice>,
): Pick<Invoices, "collection" | "find" | "page" | "listOwed" | "listPaymentKeys"> {
  const { collection } = records;
  return {
    collection,
    find: async (businessid, id) => {
      const found = await records.find(businessid, id);
      return found && fromStored(found.entity);
    },
    page: async (businessid, { status, customerid }, request) => {
      const filter = {
        ...(status !== undefined && { status }),
        ...(customerid !== undefined && { "customer.id": customerid.toLowerCase() }),
      };
      const leftOut = ["items", "payments"] as const;
      const { entities, paging } = await records.page(businessid, filter, request, leftOut);
      return { invoices: entities, paging };
    },
    listOwed: async (businessid, owner, limit) => {
      const filter =
        "customerid" in owner
          ? { "customer.id": owner.customerid.toLowerCase() }
          : { "issuedfor.subscriptionid": equals(owner.subscriptionid.toLowerCase()) };
      const options = { sort: oldestFirst, limit };
      return (await records.findMany(businessid, { ...filter, ...isOwed }, options)).map(
        fromStored,
      );
    },
    listPaymentKeys: async (ids) => {
      const found = await collection
        .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } })
        .project<{ _id: ObjectId; businessid: ObjectId; payments: { key: string }[] }>({
          businessid: 1,
          "payments.key": 1,
        })
        .toArray();
      return found.map(({ _id, businessid, payments }) => ({
        id: String(_id),
        businessid: String(businessid),
        keys: payments.map(({ key }) => key),
      }));
    },
  };
}

function issuedIn(
  records: Records<StoredInvoice>,
): Pick<Invoices, "findIssued" | "findIssuedMany"> {
  return {
    findIssued: async (businessid, key) => {
      const filter = { issuekey: equals(formatIssueKey(key)) };
      const [found] = await records.findMany(businessid, filter, { sort: oldestFirst, limit: 1 });
      return found ? fromStored(found) : null;
    },
    findIssuedMany: async (bills) => {
      const businesses = [...new Set(bills.map(({ businessid }) => businessid))];
      const found = await records.collection
        .find({
          businessid: { $in: businesses.map((id) => new ObjectId(id)) },
          issuekey: { $in: bills.map(formatIssueKey), ...anyText },
        })
        .project({ businessid: 1, issuekey: 1, status: 1, duedate: 1, judged: 1, seq: 1 })
        .toArray();
      const byKey = new Map<string, IssuedInvoice>(
        found.map(({ _id, businessid, issuekey, status, duedate, judged, seq }) => [
          `${String(businessid)} ${issuekey}`,
          { id: String(_id), status, duedate, appliedDueDates: judged, seq },
        ]),
      );
      return bills.map((bill) => byKey.get(`${bill.businessid} ${formatIssueKey(bill)}`) ?? null);
    },
  };
}

/** An exact value, with the condition of the partial index. */
function equals(text: string) {
  return { $eq: text, ...anyText };
}

function updateIn(records: Records<StoredInvoice>): Invoices["update"] {
  return async (businessid, id, cause, decide) => {
    const outcome: { fault: Fault | null } = { fault: null };
    const updated = await updateRecord<StoredRecord<StoredInvoice>, InvoiceChange>({
      find: () => records.find(businessid, id),
      decide: ({ entity, operations }) => {
        if (isApplied(operations, cause)) return null;
        const decided = decide(fromStored(entity));
        outcome.fault = decided.ok ? null : decided.error;
        return decided.ok ? decided.value : null;
      },
      save: (found, { entity, events }) =>
        records.save(found, { entity: toStored(entity), events }, cause),
      onConflict: "retry",
    });
    if (!updated) return null;
    const invoice = updated.change?.entity ?? fromStored(updated.found.entity);
    return { invoice, isChanged: updated.change !== null, ...outcome };
  };
}

function dueIn(collection: EventfulCollection): Pick<Invoices, "listDue" | "postponeDue"> {
  return {
    listDue: async (buckets, now, limit) => {
      const found = await collection
        .find(dueFilter(buckets, now))
        .sort({ bucket: 1, dueat: 1 })
        .limit(limit)
        .project({ businessid: 1, dueat: 1, duefailed: 1 })
        .toArray();
      return found.map(({ _id, businessid, dueat, duefailed }) => ({
        id: String(_id),
        businessid: String(businessid),
        dueat,
        tries: duefailed?.tries ?? 0,
      }));
    },
    // The condition on `dueat` leaves an invoice alone that another writer has changed since.
    postponeDue: async ({ id, dueat }, failure, next) => {
      const filter = { _id: new ObjectId(id), dueat };
      await collection.updateOne(filter, { $set: { dueat: next, duefailed: failure } });
    },
  };
}
