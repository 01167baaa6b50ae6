import { cents } from "@malipo/core";
import { newestFirstIndex, openRecords, type Records, type Service } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { Receipt } from "../domain/receipt.ts";

export interface Receipts extends Records<Receipt> {
  /** Which of these transactions have a receipt. */
  findExistingIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Sets M-Pesa's receipt number when the receipt was issued without it. */
  fillReceiptNumber(id: string, momoreceiptnumber: string): Promise<void>;
}

export async function openReceipts(service: Service): Promise<Receipts> {
  const records = await openRecords<Receipt>(
    service,
    "receipts",
    [
      newestFirstIndex,
      { key: { businessid: 1, receiptno: 1 }, unique: true },
      { key: { businessid: 1, invoiceid: 1, createdat: -1, _id: -1 } },
    ],
    (ids, fields) => ({
      ...ids,
      receiptno: fields["receiptno"],
      invoiceid: fields["invoiceid"],
      amount: cents(fields["amount"]),
      phone: fields["phone"],
      momoreceiptnumber: fields["momoreceiptnumber"],
      code: fields["code"],
      createdat: fields["createdat"],
    }),
  );
  const { collection } = records;
  return {
    ...records,
    async findExistingIds(ids) {
      const found = await collection
        .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } }, { projection: { _id: 1 } })
        .toArray();
      return new Set(found.map(({ _id }) => String(_id)));
    },
    async fillReceiptNumber(id, momoreceiptnumber) {
      await collection.updateOne(
        { _id: new ObjectId(id), momoreceiptnumber: null },
        { $set: { momoreceiptnumber } },
      );
    },
  };
}
