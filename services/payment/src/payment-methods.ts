import { newestFirst, openRecords, type Records, type Service } from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import type { PaymentMethod } from "./payment-method.ts";

export interface PaymentMethods extends Records<PaymentMethod> {
  /** The one that payments are taken with. */
  inUse(businessid: string): Promise<PaymentMethod | null>;
}

const lastChosen = { chosenat: -1, _id: -1 } as const;

export async function openPaymentMethods(service: Service): Promise<PaymentMethods> {
  const records = await openRecords<PaymentMethod>(
    service,
    "paymentmethods",
    [newestFirst, { key: { businessid: 1, deletedat: 1, ...lastChosen } }],
    (ids, fields) => methodOf(ids.id, ids.businessid, fields),
  );
  return {
    ...records,
    inUse: async (businessid) => {
      const found = await records.collection.findOne(
        { businessid: new ObjectId(businessid), deletedat: null },
        { sort: lastChosen },
      );
      return found && methodOf(String(found._id), businessid, found);
    },
  };
}

function methodOf(id: string, businessid: string, fields: Document): PaymentMethod {
  return {
    id,
    businessid,
    type: fields["type"],
    shortcode: fields["shortcode"],
    storenumber: fields["storenumber"],
    settingsid: fields["settingsid"],
    chosenat: fields["chosenat"],
    deletedat: fields["deletedat"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
  };
}
