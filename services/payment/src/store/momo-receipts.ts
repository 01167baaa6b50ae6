import { insertTogether, type Service } from "@malipo/platform";

interface ReceiptClaim {
  /** M-Pesa's number: there is each only once. */
  readonly _id: string;
  readonly transactionid: string;
  readonly at: Date;
}

/** Which transaction an M-Pesa receipt belongs to; written before the transaction says so itself. */
export interface MomoReceipts {
  /** False when it belongs to another. */
  claim(number: string, transactionid: string): Promise<boolean>;
}

export function openMomoReceipts({ store, clock }: Pick<Service, "store" | "clock">): MomoReceipts {
  const collection = store.db.collection<ReceiptClaim>("momoreceipts");
  const insert = insertTogether(collection);
  return {
    async claim(_id, transactionid) {
      if (await insert({ _id, transactionid, at: clock() })) return true;
      const holder = await collection.findOne({ _id });
      return holder?.transactionid === transactionid;
    },
  };
}
