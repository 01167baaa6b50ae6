import { secondMs, shillingsToCents } from "@malipo/core";
import { z } from "zod";
import { call } from "../definition/call.ts";
import { dateText } from "../definition/date-text.ts";
import { event } from "../definition/event.ts";
import { objectId, phone, recordTimes, searchField, timestamp } from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";
import { processDueCall } from "../operations/process-due.ts";

export const paymentStatuses = ["pending", "completed", "failed", "cancelled"] as const;

/** The amounts that one prompt may ask for, in shillings. */
export const promptAmountRange = { min: 10, max: 150_000 } as const;

/** A prompt stays on the phone this long, and reserves its amount on the invoice as long. */
export const promptLifetimeMs = 90 * secondMs;

const fieldDocs = {
  amount: {
    description: "Whole shillings; M-Pesa takes no cents.",
    examples: [2500],
  },
  phone: {
    description: "The phone that is prompted: 254 and nine digits.",
    examples: ["254712345678"],
  },
  referenceid: {
    description: "Your own reference; it comes back in the payment's events.",
    examples: ["order-1042"],
  },
  checkoutrequestid: {
    description: "M-Pesa's name for the prompt. It contains the phone number.",
    examples: ["ws_CO_21112026111530250712345678"],
  },
  merchantrequestid: {
    description: "M-Pesa's name for the request.",
    examples: ["2654-4b64-97ff-b827b542881d3130"],
  },
  momoreceiptnumber: {
    description: "M-Pesa's receipt; null until it is known.",
    examples: ["UKL7A1B2C3"],
  },
  reason: {
    description:
      "Why it did not come about, as one word: insufficient_funds, cancelled_by_payer, unreachable, wrong_pin, expired, refused, not_sent, unresolved and others.",
    examples: ["insufficient_funds"],
  },
};

const amountInShillings = z
  .int()
  .min(promptAmountRange.min)
  .max(promptAmountRange.max)
  .transform(shillingsToCents);

export const referenceid = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: "must not contain control characters" });

const transactionid = objectId.meta({ description: "The transaction's identifier." });

const transactionView = z.object({
  _id: transactionid,
  status: z.enum(paymentStatuses).meta({ description: "Pending until its outcome is known." }),
  amount: z.number().meta(fieldDocs.amount),
  currency: z.literal("KES").meta({ description: "Always Kenyan shillings." }),
  phone: z.string().meta(fieldDocs.phone),
  channel: z.literal("momo").meta({ description: "Always mobile money." }),
  referenceid: z.string().nullable().meta(fieldDocs.referenceid),
  checkoutrequestid: z.string().nullable().meta(fieldDocs.checkoutrequestid),
  merchantrequestid: z.string().nullable().meta(fieldDocs.merchantrequestid),
  momoreceiptnumber: z.string().nullable().meta(fieldDocs.momoreceiptnumber),
  reason: z.string().nullable().meta(fieldDocs.reason),
  customerid: objectId.nullable().meta({ description: "The customer who pays." }),
  invoiceid: objectId.nullable().meta({ description: "The invoice that is paid." }),
  paymentlinkid: objectId.nullable().meta({ description: "The payment link that was used." }),
  ...recordTimes,
  completedat: timestamp.nullable().meta({
    description: "When it was completed.",
    examples: ["2026-11-03T08:15:42.000Z"],
  }),
});

export type TransactionView = z.infer<typeof transactionView>;

const paymentRequestView = z.object({
  checkoutrequestid: z.string().meta(fieldDocs.checkoutrequestid),
  merchantrequestid: z.string().meta(fieldDocs.merchantrequestid),
  responsecode: z.string().meta({ description: "0: the request was accepted.", examples: ["0"] }),
  responsedescription: z.string().meta({
    description: "The same in words.",
    examples: ["Success. Request accepted for processing"],
  }),
  transactionid,
});

export type PaymentRequestView = z.infer<typeof paymentRequestView>;

const promptFaultCodes = [
  "conflict",
  "payment_method_not_configured",
  "phone_busy",
  "phone_resting",
  "provider_refused",
  "provider_unreachable",
  "not_found",
] as const;

/** One end of a date range. */
function dateFilter(ofDay: "start" | "end", description: string) {
  return dateText(ofDay, "must be a date, as YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ")
    .optional()
    .meta({ description, type: "string", examples: ["2026-11-01"] });
}

export const transactionQuery = listQuery({
  status: z.enum(paymentStatuses).optional().meta({ description: "Only those that stand so." }),
  from: dateFilter(
    "start",
    "Only those made from then on; a date alone is its beginning in Nairobi.",
  ),
  to: dateFilter("end", "Only those made until then; a date alone is its end in Nairobi."),
  customerid: objectId.optional().meta({ description: "Only those of this customer." }),
  invoiceid: objectId.optional().meta({ description: "Only those for this invoice." }),
  phone: z
    .string()
    .regex(/^\d{3,12}$/, { error: "must be the last digits of a phone number, 3 to 12 of them" })
    .optional()
    .meta({ description: "Only those of phones that end so.", examples: ["5678"] }),
  search: searchField("the reference and M-Pesa's receipt number"),
});

export const paymentRoutes = {
  requestMobilePayment: route({
    audience: "public",
    service: "payment",
    verb: "request-mobile-payment",
    method: "POST",
    path: "/business/payments/mobile/request",
    summary: "Ask a phone to pay; the outcome comes as payment.completed or payment.failed",
    rateClass: "plan",
    timeoutMs: 30 * secondMs,
    body: z.object({
      amount: amountInShillings.meta(fieldDocs.amount),
      phone: phone.meta(fieldDocs.phone),
      channel: z.literal("momo").meta({ description: "Mobile money, the only channel." }),
      referenceid: referenceid.optional().meta(fieldDocs.referenceid),
      invoiceid: objectId.optional().meta({
        description: "The invoice to pay. Not together with paymentlinkid.",
      }),
      paymentlinkid: objectId.optional().meta({
        description: "The payment link to pay by. Not together with invoiceid.",
      }),
    }),
    faultCodes: promptFaultCodes,
    reply: { status: 200, message: "Payment request sent successfully", data: paymentRequestView },
  }),
  listTransactions: route({
    audience: "public",
    service: "payment",
    verb: "list-transactions",
    method: "GET",
    path: "/business/transaction/list",
    summary: "List transactions, newest first",
    rateClass: "plan",
    query: transactionQuery,
    reply: { status: 200, data: z.array(transactionView), paging: "meta" },
  }),
  getTransaction: route({
    audience: "public",
    service: "payment",
    verb: "get-transaction",
    method: "GET",
    path: "/business/transaction/details/:id",
    summary: "One transaction",
    rateClass: "plan",
    params: { id: "transaction" },
    reply: { status: 200, data: transactionView },
  }),
} as const;

export const paymentCalls = {
  /** Sends a payment prompt for a service. The same operation id never sends a second prompt. */
  promptPayment: call({
    service: "payment",
    verb: "prompt-payment",
    callers: ["subscription"],
    effect: "writes",
    body: z.object({
      amount: amountInShillings,
      phone,
      referenceid: referenceid.optional(),
      invoiceid: objectId,
    }),
    data: paymentRequestView,
    faultCodes: promptFaultCodes,
  }),
  /** Checks that each completed payment is recorded on its invoice. */
  reconcilePayments: processDueCall("payment", "compare-payments"),
} as const;

/** The data of a payment's events. `reason` says why a payment failed. */
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

/** The records that the money is for. A field is null if that is not known. */
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
