import { z } from "zod";
import { event } from "./event.ts";
import { objectId } from "./fields.ts";

export const paymentStatuses = ["pending", "completed", "failed", "cancelled"] as const;

/** What a payment's events tell; `reason` says why one did not come about. */
const paymentData = z.object({
  transactionid: objectId,
  checkoutrequestid: z.string().nullable(),
  amount: z.number(),
  phone: z.string(),
  momoreceiptnumber: z.string().nullable(),
  referenceid: z.string().nullable(),
  status: z.enum(paymentStatuses),
  reason: z.string().nullable(),
});

/** What the money is for, as far as that is known. */
const paymentPurpose = z.object({
  invoiceid: objectId.nullable(),
  subscriptionid: objectId.nullable(),
  customerid: objectId.nullable(),
  paymentlinkid: objectId.nullable(),
});

const paymentEvent = event({ audience: "public", data: paymentData, inside: paymentPurpose });

export const paymentEvents = {
  "payment.initiated": paymentEvent,
  "payment.completed": paymentEvent,
  "payment.failed": paymentEvent,
} as const;
