import { nairobiStamp } from "./nairobi-time.ts";
import { resultText } from "./result-texts.ts";

/** What a callback tells about a prompt. */
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

export function stkCallback(facts: CallbackFacts): StkCallback {
  return {
    MerchantRequestID: facts.merchantRequestId,
    CheckoutRequestID: facts.checkoutRequestId,
    // Some codes are no numbers, and then it is a string.
    ResultCode: /^\d+$/.test(facts.result) ? Number(facts.result) : facts.result,
    ResultDesc: resultText(facts.result),
    ...(facts.result === "0" && {
      CallbackMetadata: {
        Item: [
          { Name: "Amount", Value: facts.amount },
          { Name: "MpesaReceiptNumber", Value: facts.receipt },
          { Name: "Balance" },
          { Name: "TransactionDate", Value: Number(nairobiStamp(facts.at)) },
          { Name: "PhoneNumber", Value: Number(facts.phone) },
        ],
      },
    }),
  };
}

/** The amount goes out with two decimals, which a JSON writer would leave away. */
export function callbackText(callback: StkCallback): string {
  return JSON.stringify({ Body: { stkCallback: callback } }).replace(
    /("Name":"Amount","Value":\d+)(?=[,}])/,
    "$1.00",
  );
}
