import { z } from "zod";
import { crudRoutes } from "../definition/crud-routes.ts";
import { event } from "../definition/event.ts";
import { email, objectId, phone, recordTimes, searchField, title } from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

const fieldDocs = {
  name: { description: "Of a person or a company, in one line.", examples: ["Asha Wanjiru"] },
  email: { description: "Where invoices may be sent.", examples: ["asha@example.co.ke"] },
  phone: {
    description: "The M-Pesa number that is asked to pay: 254 and nine digits.",
    examples: ["254712345678"],
  },
};

export const customerView = z.object({
  _id: objectId.meta({ description: "The customer's identifier." }),
  name: z.string().meta(fieldDocs.name),
  email: z.string().nullable().meta(fieldDocs.email),
  phone: z.string().nullable().meta(fieldDocs.phone),
  ...recordTimes,
});

export type CustomerView = z.infer<typeof customerView>;

const { create, list, details, update } = crudRoutes({
  service: "invoice",
  noun: "customer",
  plural: "customers",
  view: customerView,
  query: listQuery({ search: searchField("the name, the email or the phone") }),
  draft: z.object({
    name: title.meta(fieldDocs.name),
    email: email.optional().meta(fieldDocs.email),
    phone: phone.optional().meta(fieldDocs.phone),
  }),
  change: z.object({
    name: title.optional().meta(fieldDocs.name),
    email: email.nullable().optional().meta(fieldDocs.email),
    phone: phone.nullable().optional().meta(fieldDocs.phone),
  }),
  changeNote: ", null empties an email or a phone",
});

export const customerRoutes = {
  createCustomer: create,
  listCustomers: list,
  getCustomer: route({
    ...details,
    reply: {
      status: 200,
      data: customerView.extend({
        credit: z.number().meta({
          description: "What the customer has paid too much; the next invoices are paid with it.",
          examples: [0],
        }),
      }),
    },
  }),
  updateCustomer: update,
} as const;

export const customerEvents = {
  "customer.created": event({ audience: "internal", data: customerView }),
  "customer.updated": event({ audience: "internal", data: customerView }),
} as const;
