import { cents, type Cents } from "@malipo/core";
import { type Cause, openRecords, type Records, type Service } from "@malipo/platform";
import { ObjectId } from "mongodb";
import { type Credit, type CreditUse, grantCredit, newCredit } from "../domain/credit/credit.ts";
import type { Grant } from "../domain/invoice/invoice-events.ts";

const unspentMax = 50;

/** A query of it repeats the condition. */
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

export interface Credits extends Records<Credit> {
  /** The oldest first, and no more than can be of use at once. */
  unspentOf(holder: CreditHolder): Promise<readonly Credit[]>;
  /** What a customer has in all. */
  sumOf(holder: CreditHolder): Promise<Cents>;
  /** Those of the given customers that have any. */
  holdersAmong(holders: readonly CreditHolder[]): Promise<readonly CreditHolder[]>;
  /** Makes the credit, or raises it to that amount. */
  grant(
    origin: CreditHolder & { readonly invoiceid: string },
    grant: Grant,
    cause: Cause,
  ): Promise<void>;
}

export async function openCredits(service: Service): Promise<Credits> {
  const records = await openRecords<Credit>(
    service,
    "credits",
    [unspentOfCustomer],
    (ids, fields) => ({
      ...ids,
      customerid: fields["customerid"],
      invoiceid: fields["invoiceid"],
      granted: cents(fields["granted"]),
      uses: fields["uses"] as CreditUse[],
      carried: cents(fields["carried"]),
      unspent: cents(fields["unspent"]),
      createdat: fields["createdat"],
      updatedat: fields["updatedat"],
    }),
  );
  const { collection } = records;
  return {
    ...records,
    unspentOf: ({ businessid, customerid }) =>
      records.some(
        businessid,
        { customerid, ...isUnspent },
        { sort: oldestFirst, limit: unspentMax },
      ),
    sumOf: async ({ businessid, customerid }) => {
      const [sum] = await collection
        .aggregate<{ total: number }>([
          { $match: { businessid: new ObjectId(businessid), customerid, ...isUnspent } },
          { $group: { _id: null, total: { $sum: "$unspent" } } },
        ])
        .toArray();
      return cents(sum?.total ?? 0);
    },
    holdersAmong: async (holders) => {
      const found = await collection
        .find({
          businessid: { $in: idsOf(holders) },
          customerid: { $in: [...new Set(holders.map(({ customerid }) => customerid))] },
          ...isUnspent,
        })
        .project<{ businessid: ObjectId; customerid: string }>({ businessid: 1, customerid: 1 })
        .toArray();
      const having = new Set(
        found.map((each) => holderKey(String(each.businessid), each.customerid)),
      );
      return holders.filter((each) => having.has(holderKey(each.businessid, each.customerid)));
    },
    grant: async ({ businessid, customerid, invoiceid }, { creditid, granted }, cause) => {
      const credit = newCredit(creditid, { businessid, customerid, invoiceid }, granted, cause.now);
      const raise = () =>
        records.amend(businessid, creditid, cause, (known) =>
          grantCredit(known, granted, cause.now),
        );
      if (await raise()) return;
      const inserted = await records.insertMany([{ entity: credit, events: [], cause }]);
      if (inserted === 0) await raise();
    },
  };
}

function idsOf(holders: readonly CreditHolder[]): ObjectId[] {
  return [...new Set(holders.map(({ businessid }) => businessid))].map((id) => new ObjectId(id));
}

function holderKey(businessid: string, customerid: string): string {
  return `${businessid} ${customerid}`;
}
