import type { ReceiptView } from "@malipo/contracts";
import { type Cents, centsToShillings } from "@malipo/core";

/** The proof of a completed payment. It has the id of its transaction. */
export interface Receipt {
  readonly id: string;
  readonly businessid: string;
  readonly receiptno: string;
  readonly invoiceid: string | null;
  readonly amount: Cents;
  readonly phone: string;
  readonly momoreceiptnumber: string | null;
  /** The secret end of its page's address. Anyone who has it may see the receipt. */
  readonly code: string;
  readonly createdat: Date;
}

export function viewReceipt(receipt: Receipt, publicUrl: string): ReceiptView {
  const { id, code, amount, createdat, businessid: _businessid, ...shown } = receipt;
  return {
    _id: id,
    transactionid: id,
    ...shown,
    amount: centsToShillings(amount),
    url: `${publicUrl}/r/${code}`,
    createdat: createdat.toISOString(),
  };
}
