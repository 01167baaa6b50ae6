import { z } from "zod";
import { description, objectId, recordTimes, timestamp, title } from "../definition/fields.ts";
import { pageQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";
import { linkStatuses } from "../invoice/invoice-routes.ts";
import { referenceid } from "./payment.ts";

const fieldDocs = {
  title: { description: "What the payer reads, in one line.", examples: ["Harambee ya shule"] },
  description: { description: "More about it.", examples: ["Towards the new classroom"] },
  amount: {
    description: "Whole shillings; without it the payer says how much.",
    examples: [1000],
  },
  reusable: { description: "Whether it may be paid more than once.", examples: [true] },
  expiresat: {
    description: "Until when it can be paid; without it, for ever.",
    examples: ["2026-12-24T21:00:00.000Z"],
  },
  referenceid: {
    description: "Your own reference; it comes back in the events of its payments.",
    examples: ["harambee-2026"],
  },
};

const linkView = z.object({
  _id: objectId.meta({ description: "The payment link's identifier." }),
  title: z.string().meta(fieldDocs.title),
  description: z.string().nullable().meta(fieldDocs.description),
  amount: z
    .number()
    .nullable()
    .meta({
      description: "What it asks for now: its fixed amount, or what is owed. Null: any amount.",
      examples: [1000],
    }),
  reusable: z.boolean().meta(fieldDocs.reusable),
  status: z.enum(linkStatuses).meta({ description: "Only an active one can be paid." }),
  expiresat: timestamp.nullable().meta(fieldDocs.expiresat),
  referenceid: z.string().nullable().meta(fieldDocs.referenceid),
  invoiceid: objectId.nullable().meta({ description: "The invoice it is for." }),
  subscriptionid: objectId.nullable().meta({ description: "The subscription it is for." }),
  shorturl: z.string().meta({
    description: "The page where it is paid.",
    examples: ["https://pay.example.co.ke/p/p7k2m9xw4c"],
  }),
  qrcode: z.string().meta({
    description: "The address of its QR code.",
    examples: ["https://pay.example.co.ke/qr/p7k2m9xw4c.png"],
  }),
  ...recordTimes,
});

export type PaymentLinkView = z.infer<typeof linkView>;

const shared = { audience: "public", service: "payment", rateClass: "plan" } as const;

export const paymentLinkRoutes = {
  createPaymentLink: route({
    ...shared,
    verb: "create-payment-link",
    method: "POST",
    path: "/business/payment-link/create",
    summary: "Create a payment link, for a fixed amount or for any",
    body: z.object({
      title: title.meta(fieldDocs.title),
      description: description.optional().meta(fieldDocs.description),
      amount: z.int().min(10).max(150_000).optional().meta(fieldDocs.amount),
      reusable: z.boolean().default(false).meta(fieldDocs.reusable),
      expiresat: z.iso.datetime({ offset: true }).optional().meta(fieldDocs.expiresat),
      referenceid: referenceid.optional().meta(fieldDocs.referenceid),
    }),
    reply: { status: 201, message: "Payment link created successfully", data: linkView },
  }),
  listPaymentLinks: route({
    ...shared,
    verb: "list-payment-links",
    method: "GET",
    path: "/business/payment-link/list",
    summary: "List payment links, newest first",
    query: pageQuery,
    reply: { status: 200, data: z.array(linkView), paging: "meta" },
  }),
  getPaymentLink: route({
    ...shared,
    verb: "get-payment-link",
    method: "GET",
    path: "/business/payment-link/details/:id",
    summary: "One payment link, with what it asks for now",
    params: { id: "payment link" },
    reply: { status: 200, data: linkView },
  }),
} as const;
