import { batchInserts, type Service } from "@malipo/platform";

interface ReceiptOwner {
  /** M-Pesa's receipt number, which is unique. */
  readonly _id: string;
  readonly transactionid: string;
  readonly at: Date;
}

/** Which transaction an M-Pesa receipt number belongs to. It is written before the transaction. */
export interface MomoReceipts {
  /** False when the number belongs to another transaction. */
  claim(number: string, transactionid: string): Promise<boolean>;
}

export function openMomoReceipts({ store, clock }: Pick<Service, "store" | "clock">): MomoReceipts {
  const collection = store.db.collection<ReceiptOwner>("momoreceipts");
  const insert = batchInserts(collection);
  return {
    async claim(_id, transactionid) {
      if (await insert({ _id, transactionid, at: clock() })) return true;
      const owner = await collection.findOne({ _id });
      return owner?.transactionid === transactionid;
    },
  };
}
