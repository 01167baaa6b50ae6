import { formatNairobiTimestamp } from "./nairobi-time.ts";
import { describeResult } from "./result-texts.ts";

/** The contents of a callback about a prompt. */
export interface CallbackFacts {
  readonly merchantRequestId: string;
  readonly checkoutRequestId: string;
  readonly result: string;
  readonly amount: number;
  readonly receipt: string;
  readonly phone: string;
  readonly at: Date;
}

export interface MetadataItem {
  readonly Name: string;
  readonly Value?: unknown;
}

export interface StkCallback {
  readonly MerchantRequestID: string;
  readonly CheckoutRequestID: string;
  readonly ResultCode: number | string;
  readonly ResultDesc: string;
  readonly CallbackMetadata?: { readonly Item: readonly MetadataItem[] };
}

export function buildCallback(facts: CallbackFacts): StkCallback {
  return {
    MerchantRequestID: facts.merchantRequestId,
    CheckoutRequestID: facts.checkoutRequestId,
    // A result code that is not a number, such as SFC_IC0003, is sent as a string.
    ResultCode: /^\d+$/.test(facts.result) ? Number(facts.result) : facts.result,
    ResultDesc: describeResult(facts.result),
    ...(facts.result === "0" && {
      CallbackMetadata: {
        Item: [
          { Name: "Amount", Value: facts.amount },
          { Name: "MpesaReceiptNumber", Value: facts.receipt },
          { Name: "Balance" },
          { Name: "TransactionDate", Value: Number(formatNairobiTimestamp(facts.at)) },
          { Name: "PhoneNumber", Value: Number(facts.phone) },
        ],
      },
    }),
  };
}

/** M-Pesa sends the amount with two decimals, which `JSON.stringify` would drop. */
export function writeCallback(callback: StkCallback): string {
  return JSON.stringify({ Body: { stkCallback: callback } }).replace(
    /("Name":"Amount","Value":\d+)(?=[,}])/,
    "$1.00",
  );
}
