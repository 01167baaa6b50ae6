import { billingCycles, maxShillings } from "@malipo/core";
import { z } from "zod";
import { dateText } from "../definition/date-text.ts";
import { objectId, price, timestamp, title } from "../definition/fields.ts";
import {
  invoiceFieldDocs,
  itemRequired,
  itemsMax,
  quantityMax,
  recordReference,
} from "../invoice/invoice-fields.ts";

const subscriptionStatuses = [
  "trial",
  "active",
  "pending",
  "cancelled",
  "expired",
  "paused",
] as const;

export const subscriptionFieldDocs = {
  _id: { description: "The subscription's identifier." },
  subscriptionno: { description: "The number people know it by.", examples: ["SUB-000042"] },
  title: { description: "What it is, in one line.", examples: ["Internet, 10 Mbps"] },
  status: { description: "Where it stands.", examples: ["active"] },
  amount: { description: "What a period costs: the sum of the lines.", examples: [2500] },
  billingcycle: {
    description: "weekly is 7 days, monthly 30, quarterly 90 and yearly 365.",
    examples: ["monthly"],
  },
  autorenew: {
    description:
      "Whether each period is billed by itself and the customer's phone is asked to pay; else its renewal is offered.",
    examples: [true],
  },
  remark: { description: "Notes of your own; no customer sees them.", examples: ["Call first"] },
  nextbillingdate: {
    description: "When the next period is billed; null when nothing is scheduled.",
  },
};

export const subscriptionStatus = z.enum(subscriptionStatuses).meta(subscriptionFieldDocs.status);
export const billingcycle = z
  .enum(billingCycles as readonly ["weekly", "monthly", "quarterly", "yearly"])
  .meta(subscriptionFieldDocs.billingcycle);

export function dateField(ofDay: "start" | "end", description: string) {
  const problem = "must be a date or a date-time: YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ";
  return dateText(ofDay, problem).meta({ description, examples: ["2027-01-01"] });
}

export const subscriptionItems = z
  .array(
    z.object({
      itemid: recordReference.meta(invoiceFieldDocs.itemid),
      quantity: z.int().min(1).max(quantityMax).meta(invoiceFieldDocs.quantity),
      rate: price.meta({ ...invoiceFieldDocs.rate, minimum: 0, maximum: maxShillings }),
      title: title
        .optional()
        .meta({ description: "What the line says; the product's title if it is left out." }),
    }),
    { error: ({ input }) => (input === undefined || input === null ? itemRequired : undefined) },
  )
  .min(1, { error: itemRequired })
  .max(itemsMax)
  .meta({ description: "The lines, 1 to 200." });

export const customerid = recordReference.meta({
  description: "A customer of the business.",
  examples: ["6743f1b2c9e8a45d3f0b7c20"],
});

export const itemWithAmount = z.object({
  itemid: objectId.meta(invoiceFieldDocs.itemid),
  title: z.string().meta({ description: "What the line says.", examples: ["Internet, 10 Mbps"] }),
  quantity: z.int().meta(invoiceFieldDocs.quantity),
  rate: z.number().meta(invoiceFieldDocs.rate),
  amount: z.number().meta({ description: "quantity × rate.", examples: [2500] }),
});

export const trialView = z
  .object({
    startdate: timestamp.meta({ description: "When the trial begins." }),
    enddate: timestamp.meta({ description: "When it ends and the first period begins." }),
    activesubscription: z.boolean().meta({ description: "Whether it runs.", examples: [true] }),
  })
  .nullable()
  .meta({ description: "The trial; null without one." });
