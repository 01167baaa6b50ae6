import { billingCycles, maxShillings, parseIsoDate } from "@malipo/core";
import { z } from "zod";
import { objectId, price, timestamp, title } from "./fields.ts";
import { its as invoiceIts, reference } from "./invoice-fields.ts";

const subscriptionStatuses = [
  "trial",
  "active",
  "pending",
  "cancelled",
  "expired",
  "paused",
] as const;

const itemsMax = 200;
const quantityMax = 1_000_000;
const oneItem = "At least one item is required";

export const its = {
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

export const subscriptionStatus = z.enum(subscriptionStatuses).meta(its.status);
export const billingcycle = z
  .enum(billingCycles as readonly ["weekly", "monthly", "quarterly", "yearly"])
  .meta(its.billingcycle);

/** A date-time, or a date: of a date alone the first or the last moment of that day in Nairobi. */
export function momentOf(ofDay: "start" | "end", description: string) {
  const problem = "must be a date or a date-time: YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ";
  return z
    .string()
    .transform((text, check) => {
      const read = parseIsoDate(text, ofDay);
      if (read) return read;
      check.addIssue({ code: "custom", message: problem });
      return z.NEVER;
    })
    .meta({ description, examples: ["2027-01-01"] });
}

export const subscriptionItems = z
  .array(
    z.object({
      itemid: reference.meta(invoiceIts.itemid),
      quantity: z.int().min(1).max(quantityMax).meta(invoiceIts.quantity),
      rate: price.meta({ ...invoiceIts.rate, minimum: 0, maximum: maxShillings }),
      title: title
        .optional()
        .meta({ description: "What the line says; the product's title if it is left out." }),
    }),
    { error: ({ input }) => (input === undefined || input === null ? oneItem : undefined) },
  )
  .min(1, { error: oneItem })
  .max(itemsMax)
  .meta({ description: "The lines, 1 to 200." });

export const customerid = reference.meta({
  description: "A customer of the business.",
  examples: ["6743f1b2c9e8a45d3f0b7c20"],
});

export const itemWithAmount = z.object({
  itemid: objectId.meta(invoiceIts.itemid),
  title: z.string().meta({ description: "What the line says.", examples: ["Internet, 10 Mbps"] }),
  quantity: z.int().meta(invoiceIts.quantity),
  rate: z.number().meta(invoiceIts.rate),
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
