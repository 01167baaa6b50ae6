import type { EventOf } from "@malipo/contracts";
import { newId } from "@malipo/platform";

/** The event of a completed payment. */
export function paymentCompleted(
  businessid: string,
  invoiceid: string | null,
  amount: number,
  at: Date,
  transactionid = newId(),
  momoreceiptnumber: string | null = null,
): EventOf<"payment.completed"> {
  return {
    id: `evt_${newId()}`,
    type: "payment.completed",
    seq: 1,
    businessid,
    recordid: transactionid,
    at: at.toISOString(),
    data: {
      transactionid,
      checkoutrequestid: null,
      amount,
      phone: "254712345678",
      momoreceiptnumber,
      referenceid: null,
      status: "completed",
      reason: null,
    },
    inside: { invoiceid, subscriptionid: null, customerid: null, paymentlinkid: null },
  };
}
