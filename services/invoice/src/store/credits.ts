import { createHash } from "node:crypto";
import { cents, type Cents, parseId } from "@malipo/core";
import {
  type Cause,
  type EventfulCollection,
  openRecords,
  type Records,
  type Service,
} from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import {
  type Credit,
  type CreditUse,
  grantCredit,
  newCredit,
  useCredit,
} from "../domain/credit/credit.ts";
import type { Grant } from "../domain/invoice/invoice-events.ts";

/** More credits of one customer than one step can use. */
const unspentMax = 50;

/** The condition of the partial index. A query must repeat it to use the index. */
const isUnspent = { unspent: { $gt: 0 } } as const;
const oldestFirst = { createdat: 1, _id: 1 } as const;
const unspentOfCustomer = {
  key: { businessid: 1, customerid: 1, ...oldestFirst },
  name: "unspent",
  partialFilterExpression: isUnspent,
} as const;

export interface CreditHolder {
  readonly businessid: string;
  readonly customerid: string;
}

export interface Credits {
  readonly collection: EventfulCollection;
  /** The unspent credits of a customer, oldest first, at most 50. */
  listUnspent(holder: CreditHolder): Promise<readonly Credit[]>;
  /** The unspent credit of a customer, in total. */
  sumUnspent(holder: CreditHolder): Promise<Cents>;
  /** Those of the given customers that have unspent credit. */
  filterHolders(holders: readonly CreditHolder[]): Promise<readonly CreditHolder[]>;
  /** Those of the given credits that exist, with their business. */
  findExisting(
    ids: readonly string[],
  ): Promise<readonly { readonly id: string; readonly businessid: string }[]>;
  /** Creates a credit, or raises it to this total. */
  grant(
    origin: CreditHolder & { readonly invoiceid: string },
    grant: Grant,
    cause: Cause,
  ): Promise<void>;
  /** Spends a part of a credit, if the use still fits. Answers the credit as it is afterwards. */
  spend(
    businessid: string,
    creditid: string,
    use: Omit<CreditUse, "at">,
    cause: Cause,
  ): Promise<Credit | null>;
}

/**
 * The id of the credit that a payment leaves: for a transaction its own id, for a use of credit an id
 * derived from the key. The id makes it impossible to grant the same money twice, so the derivation
 * must never change.
 */
export function creditIdOf(paymentKey: string): string {
  return parseId(paymentKey) ?? createHash("sha256").update(paymentKey).digest("hex").slice(0, 24);
}

export async function openCredits(service: Service): Promise<Credits> {
  const records = await openRecords<Credit>(service, "credits", [unspentOfCustomer], readFields);
  return {
    ...readsFrom(records),
    grant: async ({ businessid, customerid, invoiceid }, { creditid, granted }, cause) => {
      const credit = newCredit(creditid, { businessid, customerid, invoiceid }, granted, cause.now);
      const raise = () =>
        records.updateWithRetry(businessid, creditid, cause, (known) =>
          grantCredit(known, granted, cause.now),
        );
      if (await raise()) return;
      const inserted = await records.insertMany([{ entity: credit, events: [], cause }]);
      if (inserted === 0) await raise();
    },
    spend: async (businessid, creditid, use, cause) =>
      records.updateWithRetry(businessid, creditid, cause, (credit) =>
        useCredit(credit, use, { now: cause.now, creditIdOf }),
      ),
  };
}

function readFields(
  ids: { readonly id: string; readonly businessid: string },
  fields: Document,
): Credit {
  return {
    ...ids,
    customerid: fields["customerid"],
    invoiceid: fields["invoiceid"],
    granted: cents(fields["granted"]),
    uses: fields["uses"] as CreditUse[],
    carried: cents(fields["carried"]),
    unspent: cents(fields["unspent"]),
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
  };
}

function readsFrom(records: Records<Credit>): Omit<Credits, "grant" | "spend"> {
  const { collection } = records;
  return {
    collection,
    listUnspent: ({ businessid, customerid }) =>
      records.findMany(
        businessid,
        { customerid, ...isUnspent },
        { sort: oldestFirst, limit: unspentMax },
      ),
    sumUnspent: async ({ businessid, customerid }) => {
      const [sum] = await collection
        .aggregate<{ total: number }>([
          { $match: { businessid: new ObjectId(businessid), customerid, ...isUnspent } },
          { $group: { _id: null, total: { $sum: "$unspent" } } },
        ])
        .toArray();
      return cents(sum?.total ?? 0);
    },
    filterHolders: async (holders) => {
      const businesses = [...new Set(holders.map(({ businessid }) => businessid))];
      const found = await collection
        .find({
          businessid: { $in: businesses.map((id) => new ObjectId(id)) },
          customerid: { $in: [...new Set(holders.map(({ customerid }) => customerid))] },
          ...isUnspent,
        })
        .project<{ businessid: ObjectId; customerid: string }>({ businessid: 1, customerid: 1 })
        .toArray();
      const keys = new Set(found.map((each) => `${String(each.businessid)} ${each.customerid}`));
      return holders.filter((each) => keys.has(`${each.businessid} ${each.customerid}`));
    },
    findExisting: async (ids) => {
      const found = await collection
        .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } })
        .project<{ _id: ObjectId; businessid: ObjectId }>({ businessid: 1 })
        .toArray();
      return found.map(({ _id, businessid }) => ({
        id: String(_id),
        businessid: String(businessid),
      }));
    },
  };
}
