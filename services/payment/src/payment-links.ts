import { newestFirst, openRecords, type Records, type Service } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { PaymentLink } from "./payment-link.ts";

export interface PaymentLinks extends Records<PaymentLink> {
  /** What owners tell of theirs; what is older than what was heard changes nothing. */
  hear(news: readonly PaymentLink[]): Promise<void>;
  /** Those that take one payment only, and have had it. */
  markPaid(paid: readonly { readonly id: string; readonly by: string }[]): Promise<void>;
}

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
      await records.collection.bulkWrite(
        news.flatMap(({ id, businessid, heardseq, ...fields }) => {
          const _id = new ObjectId(id);
          const first = { seq: 0, published: 0, events: [], version: 1 };
          const owner = { businessid: new ObjectId(businessid) };
          const $setOnInsert = { ...owner, ...fields, heardseq, ...first };
          return [
            { updateOne: { filter: { _id }, update: { $setOnInsert }, upsert: true } },
            {
              updateOne: {
                filter: { _id, heardseq: { $lt: heardseq } },
                update: { $set: { ...fields, heardseq } },
              },
            },
          ];
        }),
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
