import type { CallbackMessage } from "@malipo/contracts";
import { centsToShillings } from "@malipo/core";
import { newId } from "@malipo/platform";
import type { Transaction } from "../src/domain/transaction/transaction.ts";

export interface ReportedOutcome {
  /** M-Pesa's result code. */
  readonly code: number;
  /** The content of the amount; as asked when it is left out. */
  readonly amount?: unknown;
  readonly receipt?: string;
}

/** M-Pesa's result codes, by what the payer does. */
export const outcomes = {
  pays: { code: 0 },
  cancels: { code: 1032 },
  mistypes: { code: 2001 },
  isAway: { code: 1037 },
  hasNoMoney: { code: 1 },
} as const satisfies Record<string, ReportedOutcome>;

/** A callback as M-Pesa sends it about a transaction, and as it stands in the stream. */
export function callbackAbout(
  { id, amount, checkoutrequestid, merchantrequestid }: Transaction,
  { code, receipt = newReceipt(), amount: reported = centsToShillings(amount) }: ReportedOutcome,
): CallbackMessage {
  const Item = [
    { Name: "Amount", Value: reported },
    { Name: "MpesaReceiptNumber", Value: receipt },
  ];
  const stkCallback = {
    CheckoutRequestID: checkoutrequestid,
    MerchantRequestID: merchantrequestid,
    ResultCode: code,
    ResultDesc: "",
    ...(code === 0 && { CallbackMetadata: { Item } }),
  };
  return {
    id: newId(),
    provider: "mpesa",
    transactionid: id,
    address: "127.0.0.1",
    at: "2026-11-21T09:00:00.000Z",
    body: Buffer.from(JSON.stringify({ Body: { stkCallback } })).toString("base64"),
  };
}

let lastReceipt = 1_000_000;
const newReceipt = () => `UKM${(lastReceipt += 1)}`;
