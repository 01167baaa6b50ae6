import { maxShillings } from "@malipo/core";
import { z } from "zod";
import { dateText } from "../definition/date-text.ts";
import { objectId, price, timestamp, title } from "../definition/fields.ts";

export const invoiceStatuses = [
  "draft",
  "unpaid",
  "partially_paid",
  "paid",
  "overdue",
  "cancelled",
] as const;

export type InvoiceStatus = (typeof invoiceStatuses)[number];

export const itemsMax = 200;
export const quantityMax = 1_000_000;

/** The documentation of each field, for requests and answers. */
export const invoiceFieldDocs = {
  invoiceno: { description: "The number people know it by.", examples: ["INV-000042"] },
  title: { description: "What it is for, in one line.", examples: ["Internet, November"] },
  description: {
    description: "More about it, in as many lines as it takes.",
    examples: ["10 Mbps at the shop in Nyeri"],
  },
  remark: { description: "Notes of your own; no customer sees them.", examples: ["Call first"] },
  status: { description: "Where it stands.", examples: ["unpaid"] },
  balance: {
    description: "What is still to be paid: subtotal − discount + tax − paid.",
    examples: [2610],
  },
  subtotal: { description: "The sum of the lines.", examples: [2500] },
  taxamount: { description: "The tax, on what the discount leaves.", examples: [360] },
  discountamount: { description: "The discount as an amount.", examples: [250] },
  discount: {
    description: "Percent or shillings, as discounttype says, with at most two decimals.",
    examples: [10],
  },
  discounttype: {
    description: "How discount is meant; a discount without a type is fixed.",
    examples: ["percentage"],
  },
  invoicedate: { description: "The date on the invoice." },
  duedate: { description: "When it falls due." },
  itemid: { description: "The product's identifier.", examples: ["6743f1b2c9e8a45d3f0b7c21"] },
  name: {
    description: "What the line says; the product's title if it is left out.",
    examples: ["Internet, 10 Mbps"],
  },
  quantity: { description: "How many, a whole number.", examples: [1] },
  rate: { description: "Shillings a unit, with at most two decimals.", examples: [2500] },
  linetotal: { description: "quantity × rate.", examples: [2500] },
  qrcode: {
    description: "The address of a QR code that opens the pay link.",
    examples: ["https://pay.example.co.ke/qr/i7k2m9qwxe.png"],
  },
};

export const discounttypes = ["percentage", "fixed"] as const;
export const discounttype = z.enum(discounttypes).meta(invoiceFieldDocs.discounttype);
export const invoiceStatus = z.enum(invoiceStatuses).meta(invoiceFieldDocs.status);
export const discount = price.meta({
  ...invoiceFieldDocs.discount,
  minimum: 0,
  maximum: maxShillings,
});

/** An id in a body. Any short text is accepted; if the business has no such record, the answer is 404. */
export const recordReference = z.string().trim().min(1).max(100);

export const itemRequired = "At least one item is required";

export const items = z
  .array(
    z.object({
      itemid: recordReference.meta(invoiceFieldDocs.itemid),
      name: title.optional().meta(invoiceFieldDocs.name),
      quantity: z.int().min(1).max(quantityMax).meta(invoiceFieldDocs.quantity),
      rate: price.meta({ ...invoiceFieldDocs.rate, minimum: 0, maximum: maxShillings }),
    }),
    { error: ({ input }) => (input === undefined || input === null ? itemRequired : undefined) },
  )
  .min(1, { error: itemRequired })
  .max(itemsMax)
  .meta({ description: "The lines, 1 to 200." });

function dateField(field: string, ofDay: "start" | "end", description: string) {
  const problem = `Invalid ${field} format. Use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ`;
  const text = z.string({ error: ({ input }) => (input === undefined ? undefined : problem) });
  return dateText(ofDay, problem, text).meta({ description, examples: ["2026-12-01"] });
}

export const duedate = dateField(
  "duedate",
  "end",
  "When it falls due: a date-time, or a date for the end of that day in Nairobi.",
);
export const invoicedate = dateField(
  "invoicedate",
  "start",
  "The date on the invoice: a date-time, or a date; today if it is left out.",
);

export const customerSnapshot = z
  .object({
    _id: objectId.meta({ description: "The customer's identifier." }),
    name: z.string().meta({ description: "The customer's name.", examples: ["Asha Wanjiru"] }),
    email: z
      .string()
      .nullable()
      .meta({ description: "The customer's email.", examples: ["asha@example.co.ke"] }),
    phone: z
      .string()
      .nullable()
      .meta({ description: "The customer's phone.", examples: ["254712345678"] }),
  })
  .meta({ description: "The customer, as on the day the invoice was made." });

export const itemView = z.object({
  itemid: objectId.meta(invoiceFieldDocs.itemid),
  name: z.string().meta(invoiceFieldDocs.name),
  quantity: z.int().meta(invoiceFieldDocs.quantity),
  rate: z.number().meta(invoiceFieldDocs.rate),
});

export const itemWithTotal = itemView.extend({
  total: z.number().meta(invoiceFieldDocs.linetotal),
});

export const invoiceDates = {
  invoicedate: timestamp.meta(invoiceFieldDocs.invoicedate),
  duedate: timestamp.meta(invoiceFieldDocs.duedate),
};
