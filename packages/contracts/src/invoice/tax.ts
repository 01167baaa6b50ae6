import { z } from "zod";
import { crudRoutes } from "../definition/crud-routes.ts";
import { event } from "../definition/event.ts";
import { objectId, percent, recordTimes, title } from "../definition/fields.ts";
import { pageQuery } from "../definition/paging.ts";

const fieldDocs = {
  title: { description: "What stands on the invoice, in one line.", examples: ["VAT"] },
  rate: { description: "Percent, 0 to 100, with at most two decimals.", examples: [16] },
};

const taxView = z.object({
  _id: objectId.meta({ description: "The tax's identifier." }),
  title: z.string().meta(fieldDocs.title),
  rate: z.number().meta(fieldDocs.rate),
  ...recordTimes,
});

export type TaxView = z.infer<typeof taxView>;

const { create, list, details, update } = crudRoutes({
  service: "invoice",
  noun: "tax",
  plural: "taxes",
  view: taxView,
  query: pageQuery,
  draft: z.object({ title: title.meta(fieldDocs.title), rate: percent.meta(fieldDocs.rate) }),
  change: z.object({
    title: title.optional().meta(fieldDocs.title),
    rate: percent.optional().meta(fieldDocs.rate),
  }),
});

export const taxRoutes = {
  createTax: create,
  listTaxes: list,
  getTax: details,
  updateTax: update,
} as const;

export const taxEvents = {
  "tax.created": event({ audience: "internal", data: taxView }),
  "tax.updated": event({ audience: "internal", data: taxView }),
} as const;
