import { z } from "zod";
import {
  description,
  objectId,
  recordTimes,
  searchField,
  timestamp,
} from "../definition/fields.ts";
import { noContent } from "../definition/operation.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";
import { customerView } from "../invoice/customer.ts";
import { itemRequired, recordReference } from "../invoice/invoice-fields.ts";
import {
  billingcycle,
  customerid,
  itemWithAmount,
  subscriptionFieldDocs,
  dateField,
  subscriptionItems,
  subscriptionStatus,
  trialView,
} from "./subscription-fields.ts";

const linkAddress = {
  description: "The full address of its pay link, which collects its oldest open invoice.",
  examples: ["https://pay.example.co.ke/p/s7k2m9qwxe"],
};

const nextbillingdate = timestamp.nullable().meta(subscriptionFieldDocs.nextbillingdate);

const summary = {
  _id: objectId.meta(subscriptionFieldDocs._id),
  subscriptionno: z.string().meta(subscriptionFieldDocs.subscriptionno),
  title: z.string().meta(subscriptionFieldDocs.title),
  status: subscriptionStatus,
  amount: z.number().meta(subscriptionFieldDocs.amount),
  billingcycle,
  autorenew: z.boolean().meta(subscriptionFieldDocs.autorenew),
  trial: trialView,
  nextbillingdate,
};

const createdSubscription = z.object({
  ...summary,
  paymentlink: z
    .object({ shorturl: z.string().meta(linkAddress) })
    .meta({ description: "Where the customer pays." }),
  createdat: recordTimes.createdat,
});

export type CreatedSubscription = z.infer<typeof createdSubscription>;

const subscriptionDetails = z.object({
  ...summary,
  fees: z.number().meta({
    description: "What the business's settings take as fees; for information, never billed.",
    examples: [47.5],
  }),
  channel: z.literal("momo").meta({ description: "How it is collected.", examples: ["momo"] }),
  planid: objectId.nullable().meta({ description: "The plan it was made from, if any." }),
  enddate: timestamp.nullable().meta({ description: "When it ends, if that is agreed." }),
  remark: z.string().nullable().meta(subscriptionFieldDocs.remark),
  cancelreason: z
    .string()
    .nullable()
    .meta({ description: "Why it was cancelled.", examples: ["Moved away"] }),
  customer: customerView
    .pick({ _id: true, name: true, email: true, phone: true })
    .meta({ description: "The customer, as known now." }),
  items: z.array(itemWithAmount).meta({ description: "The lines of each period's invoice." }),
  paymentlink: z
    .object({
      shorturl: z.string().meta(linkAddress),
      qrcode: z.string().meta({
        description: "A QR code that opens the pay link, as the data URI of a PNG.",
        examples: ["data:image/png;base64,iVBORw0KGgo="],
      }),
    })
    .meta({ description: "Where the customer pays." }),
  ...recordTimes,
});

export type SubscriptionDetails = z.infer<typeof subscriptionDetails>;

const subscriptionSummary = z.object({ ...summary, customerid: objectId, ...recordTimes });

export type SubscriptionSummary = z.infer<typeof subscriptionSummary>;

const generatedInvoice = z.object({
  invoice: z
    .object({
      _id: objectId.meta({ description: "The invoice's identifier." }),
      invoiceno: z
        .string()
        .meta({ description: "The number people know it by.", examples: ["INV-000042"] }),
      status: z.string().meta({ description: "Where it stands.", examples: ["unpaid"] }),
      balance: z.number().meta({ description: "What is to be paid.", examples: [2500] }),
      duedate: timestamp.meta({ description: "When it falls due." }),
    })
    .meta({ description: "The invoice." }),
  paymentlink: z.string().meta({
    description: "The full address of the invoice's pay link.",
    examples: ["https://pay.example.co.ke/p/i7k2m9qwxe"],
  }),
});

const shared = {
  audience: "public",
  service: "subscription",
  rateClass: "plan",
  errorField: "message",
} as const;

const sharedById = { ...shared, params: { id: "subscription" } } as const;

const trial = z.object({
  startdate: dateField("start", "When the trial begins; now if it is left out.").optional(),
  enddate: dateField("end", "When it ends and the first period begins."),
});

const createBody = z
  .object({
    customerid,
    items: subscriptionItems.optional(),
    planid: recordReference.optional().meta({
      description: "A plan of the business, in place of items and billingcycle.",
      examples: ["6743f1b2c9e8a45d3f0b7c23"],
    }),
    billingcycle: billingcycle.optional().meta({
      ...subscriptionFieldDocs.billingcycle,
      description: `${subscriptionFieldDocs.billingcycle.description} monthly if it is left out.`,
    }),
    autorenew: z.boolean().default(false).meta(subscriptionFieldDocs.autorenew),
    trial: trial.optional().meta({ description: "Before it ends, nothing is billed." }),
    enddate: dateField("end", "When the subscription ends.").optional(),
    paymentmethod: z
      .enum(["momo", "mpesa", "mobile_money"])
      .optional()
      .meta({ description: "All three are mobile money.", examples: ["momo"] }),
    remark: description.optional().meta(subscriptionFieldDocs.remark),
  })
  .superRefine(({ items, planid, billingcycle: cycle }, check) => {
    if (items === undefined && planid === undefined) {
      check.addIssue({ code: "custom", path: ["items"], message: itemRequired });
    }
    if (planid === undefined) return;
    if (items !== undefined) {
      check.addIssue({ code: "custom", path: ["items"], message: "must be left out with planid" });
    }
    if (cycle !== undefined) {
      const message = "must be left out with planid";
      check.addIssue({ code: "custom", path: ["billingcycle"], message });
    }
  })
  .meta({
    examples: [
      {
        customerid: "6743f1b2c9e8a45d3f0b7c20",
        items: [{ itemid: "6743f1b2c9e8a45d3f0b7c21", quantity: 1, rate: 2500 }],
        billingcycle: "monthly",
        autorenew: true,
      },
    ],
  });

export const subscriptionRoutes = {
  createSubscription: route({
    ...shared,
    verb: "create-subscription",
    method: "POST",
    path: "/business/subscription/create",
    summary: "Create a subscription, with its pay link",
    body: createBody,
    faultCodes: ["not_found", "conflict"],
    reply: {
      status: 201,
      message: "Subscription created successfully",
      data: createdSubscription,
    },
  }),
  listSubscriptions: route({
    ...shared,
    verb: "list-subscriptions",
    method: "GET",
    path: "/business/subscription/list",
    summary: "List subscriptions, newest first",
    query: listQuery({
      status: subscriptionStatus.optional(),
      search: searchField("the title or the subscription number"),
      customerid: objectId.optional().meta({ description: "Only this customer's." }),
    }),
    reply: { status: 200, data: z.array(subscriptionSummary), paging: "meta" },
  }),
  getSubscription: route({
    ...sharedById,
    verb: "get-subscription",
    method: "GET",
    path: "/business/subscription/details/:id",
    summary: "One subscription",
    reply: { status: 200, data: subscriptionDetails },
  }),
  cancelSubscription: route({
    ...sharedById,
    verb: "cancel-subscription",
    method: "POST",
    path: "/business/subscription/cancel/:id",
    summary: "Cancel a subscription for good; what is owed stays payable",
    body: z
      .object({
        reason: description
          .optional()
          .meta({ description: "Why, for yourself.", examples: ["Moved away"] }),
      })
      .default({}),
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Subscription cancelled successfully", data: noContent },
  }),
  pauseSubscription: route({
    ...sharedById,
    verb: "pause-subscription",
    method: "POST",
    path: "/business/subscription/pause/:id",
    summary: "Pause an active subscription: nothing is billed until it is resumed",
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Subscription paused successfully", data: noContent },
  }),
  resumeSubscription: route({
    ...sharedById,
    verb: "resume-subscription",
    method: "POST",
    path: "/business/subscription/resume/:id",
    summary: "Resume a paused subscription in its old rhythm",
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Subscription resumed successfully", data: noContent },
  }),
  generateInvoice: route({
    ...sharedById,
    verb: "generate-invoice",
    method: "GET",
    creates: true,
    path: "/business/subscription/generate-invoice/:id",
    summary:
      "Invoice an active subscription by hand; the same invoice until it is paid or cancelled",
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Invoice generated successfully", data: generatedInvoice },
  }),
} as const;
