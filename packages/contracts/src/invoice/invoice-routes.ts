import { z } from "zod";
import {
  description,
  objectId,
  recordTimes,
  searchField,
  timestamp,
  title,
} from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";
import {
  customerSnapshot,
  discount,
  discounttype,
  duedate,
  invoicedate,
  invoiceStatus,
  items,
  itemView,
  itemWithTotal,
  invoiceFieldDocs,
  invoiceDates,
  recordReference,
} from "./invoice-fields.ts";

const summary = {
  _id: objectId.meta({ description: "The invoice's identifier." }),
  invoiceno: z.string().meta(invoiceFieldDocs.invoiceno),
  title: z.string().meta(invoiceFieldDocs.title),
  status: invoiceStatus,
  balance: z.number().meta(invoiceFieldDocs.balance),
};

const invoiceSummary = z.object({
  ...summary,
  duedate: invoiceDates.duedate,
  createdat: recordTimes.createdat,
});

export type InvoiceSummary = z.infer<typeof invoiceSummary>;

const linkAddress = {
  description: "The full address of the pay link.",
  examples: ["https://pay.example.co.ke/p/i7k2m9qwxe"],
};
const linkId = objectId.meta({ description: "The link's identifier." });

const createdInvoice = z.object({
  ...summary,
  ...invoiceDates,
  items: z.array(itemView).meta({ description: "The lines." }),
  customer: customerSnapshot,
  paymentlink: z
    .object({ _id: linkId, shorturl: z.string().meta(linkAddress) })
    .meta({ description: "Where the customer pays." }),
  qrcode: z.string().meta(invoiceFieldDocs.qrcode),
  createdat: recordTimes.createdat,
});

export type CreatedInvoice = z.infer<typeof createdInvoice>;

export const linkStatuses = ["active", "paid", "expired", "cancelled"] as const;

const paymentlinks = z
  .array(
    z.object({
      _id: linkId,
      shorturl: z
        .string()
        .meta({ description: "The link's short code.", examples: ["i7k2m9qwxe"] }),
      rawurl: z.string().meta(linkAddress),
      status: z.enum(linkStatuses).meta({ description: "Whether it still collects." }),
    }),
  )
  .meta({ description: "Where the customer pays." });

const payments = z
  .array(
    z.object({
      _id: z.string().meta({
        description: "The transaction, or the credit that was used.",
        examples: ["6743f1b2c9e8a45d3f0b7c29"],
      }),
      source: z
        .enum(["payment", "credit"])
        .meta({ description: "Money that came in, or credit the customer had." }),
      amount: z.number().meta({ description: "What came in.", examples: [3000] }),
      applied: z.number().meta({
        description: "What of it stands on this invoice; the rest is the customer's credit.",
        examples: [2610],
      }),
      at: timestamp.meta({ description: "When it was paid." }),
    }),
  )
  .meta({ description: "What has been paid, oldest first." });

const invoiceDetails = z.object({
  ...summary,
  description: z.string().nullable().meta(invoiceFieldDocs.description),
  remark: z.string().nullable().meta(invoiceFieldDocs.remark),
  subtotal: z.number().meta(invoiceFieldDocs.subtotal),
  discount: z.number().meta(invoiceFieldDocs.discountamount),
  discounttype,
  taxamount: z.number().meta(invoiceFieldDocs.taxamount),
  taxid: objectId.nullable().meta({ description: "The tax it carries, if any." }),
  ...invoiceDates,
  items: z.array(itemWithTotal).meta({ description: "The lines." }),
  customer: customerSnapshot,
  payments,
  settledoutside: z.number().meta({
    description: "What was settled outside of Malipo when it was set to paid.",
    examples: [0],
  }),
  paymentlinks,
  qrcode: z.string().meta(invoiceFieldDocs.qrcode),
  printurl: z.string().meta({
    description: "The address of the printable invoice.",
    examples: ["https://pay.example.co.ke/i/3q2-7wAAQkGJ0m1n5yPlXw"],
  }),
  subscriptionid: objectId
    .nullable()
    .meta({ description: "The subscription it was issued for, if any." }),
  ...recordTimes,
});

export type InvoiceDetails = z.infer<typeof invoiceDetails>;

const updated = z
  .object({
    title: z.string().meta(invoiceFieldDocs.title),
    description: z.string().nullable().meta(invoiceFieldDocs.description),
    status: invoiceStatus,
    duedate: invoiceDates.duedate,
    discount: z.number().meta(invoiceFieldDocs.discount),
    discounttype,
  })
  .partial()
  .extend({ updatedat: recordTimes.updatedat })
  .meta({ description: "What was changed." });

export type InvoiceUpdated = z.infer<typeof updated>;

const shared = { audience: "public", service: "invoice", rateClass: "plan" } as const;

export const invoiceRoutes = {
  createInvoice: route({
    ...shared,
    verb: "create-invoice",
    method: "POST",
    path: "/business/invoice/create",
    summary: "Create an invoice, with its pay link and QR code",
    body: z.object({
      customerid: recordReference.meta({
        description: "A customer of the business.",
        examples: ["6743f1b2c9e8a45d3f0b7c20"],
      }),
      items,
      duedate,
      title: title.optional().meta({
        ...invoiceFieldDocs.title,
        description: "What it is for; made from the items if left out.",
      }),
      description: description.optional().meta(invoiceFieldDocs.description),
      invoicedate: invoicedate.optional(),
      taxid: recordReference
        .optional()
        .meta({ description: "A tax of the business.", examples: ["6743f1b2c9e8a45d3f0b7c22"] }),
      discount: discount.optional(),
      discounttype: discounttype.optional(),
      remark: description.optional().meta(invoiceFieldDocs.remark),
    }),
    faultCodes: ["not_found"],
    reply: { status: 201, message: "Invoice created successfully", data: createdInvoice },
  }),
  listInvoices: route({
    ...shared,
    verb: "list-invoices",
    method: "GET",
    path: "/business/invoice/list",
    summary: "List invoices, newest first",
    query: listQuery({
      status: invoiceStatus.optional(),
      search: searchField("the title, the description or the invoice number"),
      customerid: objectId.optional().meta({ description: "Only this customer's." }),
    }),
    reply: { status: 200, data: z.array(invoiceSummary), paging: "pagination" },
  }),
  getInvoice: route({
    ...shared,
    verb: "get-invoice",
    method: "GET",
    path: "/business/invoice/details/:id",
    summary: "One invoice",
    params: { id: "invoice" },
    reply: { status: 200, data: invoiceDetails },
  }),
  updateInvoice: route({
    ...shared,
    verb: "update-invoice",
    method: "PATCH",
    path: "/business/invoice/update/:id",
    summary: "Change an invoice; only what is sent changes",
    params: { id: "invoice" },
    body: z.object({
      title: title.optional().meta(invoiceFieldDocs.title),
      description: description.optional().meta(invoiceFieldDocs.description),
      status: invoiceStatus.optional(),
      duedate: duedate.optional(),
      discount: discount.optional(),
      discounttype: discounttype.optional(),
    }),
    faultCodes: ["conflict"],
    reply: {
      status: 200,
      message: "Invoice updated successfully",
      data: z.object({ _id: summary._id, invoiceno: summary.invoiceno, updated }),
    },
  }),
} as const;
