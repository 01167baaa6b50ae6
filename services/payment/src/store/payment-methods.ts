import {
  newestFirstIndex,
  openRecords,
  type Records,
  type Service,
  batchCommands,
} from "@malipo/platform";
import { type Document, ObjectId } from "mongodb";
import type { PaymentMethod } from "../domain/payment-method.ts";

export interface PaymentMethods extends Records<PaymentMethod> {
  /** The method for new payments; null when the business has none. */
  findDefault(businessid: string): Promise<PaymentMethod | null>;
}

const batchMax = 100;
const lastChosen = { chosenat: -1, _id: -1 } as const;

export async function openPaymentMethods(service: Service): Promise<PaymentMethods> {
  const records = await openRecords<PaymentMethod>(
    service,
    "paymentmethods",
    [newestFirstIndex, { key: { businessid: 1, deletedat: 1, ...lastChosen } }],
    (ids, fields) => methodOf(ids.id, ids.businessid, fields),
  );
  return {
    ...records,
    findDefault: batchCommands(batchMax, async (businessids) => {
      const of = [...new Set(businessids)].map((id) => new ObjectId(id));
      const found = await records.collection
        .find({ businessid: { $in: of }, deletedat: null })
        .sort({ chosenat: 1, _id: 1 })
        .toArray();
      // The newest choice of each business comes last, so it stays in the map.
      const chosen = new Map(found.map((each) => [String(each.businessid), each]));
      return businessids.map((businessid) => {
        const method = chosen.get(businessid);
        return method ? methodOf(String(method._id), businessid, method) : null;
      });
    }),
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
