import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { EventfulCollection, RouteHandler } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { Deps } from "../../deps.ts";

/** A full invoice holds no more payments: what comes to it is credit as a whole, under the same id. */
export const findAppliedPayments =
  ({ invoices, credits }: Deps): RouteHandler<typeof calls.findAppliedPayments> =>
  async ({ body: { payments } }) => {
    const named = payments.map((payment) => ({
      ...payment,
      transactionid: payment.transactionid.toLowerCase(),
    }));
    const [paid, credited] = await Promise.all([
      paidAmong(invoices.collection, named),
      creditedAmong(credits.collection, named),
    ]);
    return ok({
      data: {
        known: named.map(({ businessid, invoiceid, transactionid }) => {
          const key = `${businessid} ${transactionid}`;
          return paid.has(`${key} ${invoiceid}`) || credited.has(key);
        }),
      },
    });
  };

interface Named {
  readonly businessid: string;
  readonly invoiceid: string;
  readonly transactionid: string;
}

async function paidAmong(
  collection: EventfulCollection,
  named: readonly Named[],
): Promise<ReadonlySet<string>> {
  const found = await collection
    .find({ _id: { $in: named.map(({ invoiceid }) => new ObjectId(invoiceid)) } })
    .project<{ _id: ObjectId; businessid: ObjectId; payments: { key: string }[] }>({
      businessid: 1,
      "payments.key": 1,
    })
    .toArray();
  return new Set(
    found.flatMap(({ _id, businessid, payments }) =>
      payments.map(({ key }) => `${String(businessid)} ${key} ${String(_id)}`),
    ),
  );
}

async function creditedAmong(
  collection: EventfulCollection,
  named: readonly Named[],
): Promise<ReadonlySet<string>> {
  const found = await collection
    .find({ _id: { $in: named.map(({ transactionid }) => new ObjectId(transactionid)) } })
    .project<{ _id: ObjectId; businessid: ObjectId }>({ businessid: 1 })
    .toArray();
  return new Set(found.map(({ _id, businessid }) => `${String(businessid)} ${String(_id)}`));
}
