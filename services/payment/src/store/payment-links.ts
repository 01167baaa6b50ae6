import {
  duplicatesOf,
  newestFirstIndex,
  openRecords,
  recordWithoutEvents,
  type Records,
  type Service,
} from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { PaymentLink } from "../domain/payment-link.ts";

export interface PaymentLinks extends Records<PaymentLink> {
  /** Inserts or overwrites the links of invoices. An update older than the stored one changes nothing. */
  applyInvoiceUpdates(updates: readonly PaymentLink[]): Promise<void>;
  /** Marks those links as paid that take one payment. Other links stay active. */
  markPaid(paid: readonly { readonly id: string; readonly by: string }[]): Promise<void>;
}

export async function openPaymentLinks(service: Service): Promise<PaymentLinks> {
  const records = await openRecords<PaymentLink>(
    service,
    "paymentlinks",
    [newestFirstIndex],
    (ids, fields) => ({
      ...ids,
      owner: fields["owner"],
      code: fields["code"],
      title: fields["title"],
      description: fields["description"],
      amount: fields["amount"],
      reusable: fields["reusable"],
      expiresat: fields["expiresat"],
      referenceid: fields["referenceid"],
      invoiceid: fields["invoiceid"],
      subscriptionid: fields["subscriptionid"],
      status: fields["status"],
      heardseq: fields["heardseq"],
      createdat: fields["createdat"],
      updatedat: fields["updatedat"],
    }),
  );
  return {
    ...records,
    async applyInvoiceUpdates(updates) {
      if (updates.length === 0) return;
      const documents = updates.map(({ id, businessid, ...fields }) => ({
        _id: new ObjectId(id),
        businessid: new ObjectId(businessid),
        ...fields,
        ...recordWithoutEvents,
      }));
      const duplicates = await duplicatesOf(() =>
        records.collection.insertMany(documents, { ordered: false }),
      );
      const existing = updates.filter((_, index) => duplicates.has(index));
      if (existing.length === 0) return;
      await records.collection.bulkWrite(
        existing.map(({ id, businessid: _businessid, ...fields }) => ({
          updateOne: {
            filter: { _id: new ObjectId(id), heardseq: { $lt: fields.heardseq } },
            update: { $set: fields },
          },
        })),
        { ordered: false },
      );
    },
    async markPaid(paid) {
      if (paid.length === 0) return;
      const now = service.clock();
      await records.collection.bulkWrite(
        paid.map(({ id, by }) => ({
          updateOne: {
            filter: {
              _id: new ObjectId(id),
              owner: "standalone",
              reusable: false,
              status: "active",
            },
            update: { $set: { status: "paid", paidby: by, updatedat: now }, $inc: { version: 1 } },
          },
        })),
        { ordered: false },
      );
    },
  };
}
