import type { ReceiptView } from "@malipo/contracts";
import { type Cents, formatShillings } from "@malipo/core";

/** What a payer gets for a completed payment; its id is its transaction's. */
export interface Receipt {
  readonly id: string;
  readonly businessid: string;
  readonly receiptno: string;
  readonly invoiceid: string | null;
  readonly amount: Cents;
  readonly phone: string;
  readonly momoreceiptnumber: string | null;
  /** The end of its address: who has it may see the receipt. */
  readonly code: string;
  readonly createdat: Date;
}

export function viewReceipt(receipt: Receipt, publicUrl: string): ReceiptView {
  const { id, code, amount, createdat, businessid: _businessid, ...shown } = receipt;
  return {
    _id: id,
    transactionid: id,
    ...shown,
    amount: formatShillings(amount),
    url: `${publicUrl}/r/${code}`,
    createdat: createdat.toISOString(),
  };
}
