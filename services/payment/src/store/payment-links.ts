import {
  duplicatesOf,
  newestFirst,
  openRecords,
  type Records,
  type Service,
} from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { PaymentLink } from "../domain/payment-link.ts";

export interface PaymentLinks extends Records<PaymentLink> {
  /** What owners tell of theirs; what is older than what was heard changes nothing. */
  hear(news: readonly PaymentLink[]): Promise<void>;
  /** Those that take one payment only, and have had it. */
  markPaid(paid: readonly { readonly id: string; readonly by: string }[]): Promise<void>;
}

/** What others tell of causes no events here. */
const asNew = { seq: 0, published: 0, events: [], version: 1 };

export async function openPaymentLinks(service: Service): Promise<PaymentLinks> {
  const records = await openRecords<PaymentLink>(
    service,
    "paymentlinks",
    [newestFirst],
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
    async hear(news) {
      if (news.length === 0) return;
      const documents = news.map(({ id, businessid, ...fields }) => ({
        _id: new ObjectId(id),
        businessid: new ObjectId(businessid),
        ...fields,
        ...asNew,
      }));
      const known = await duplicatesOf(() =>
        records.collection.insertMany(documents, { ordered: false }),
      );
      const heardBefore = news.filter((_, index) => known.has(index));
      if (heardBefore.length === 0) return;
      await records.collection.bulkWrite(
        heardBefore.map(({ id, businessid: _businessid, ...fields }) => ({
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
