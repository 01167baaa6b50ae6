import { z } from "zod";
import { event } from "./event.ts";
import { email, objectId, pageQuery, phone, recordTimes, title } from "./fields.ts";
import { route } from "./route.ts";

const its = {
  name: { description: "Of a person or a company, in one line.", examples: ["Asha Wanjiru"] },
  email: { description: "Where invoices may be sent.", examples: ["asha@example.co.ke"] },
  phone: {
    description: "The M-Pesa number that is asked to pay: 254 and nine digits.",
    examples: ["254712345678"],
  },
};

const customerView = z.object({
  _id: objectId.meta({ description: "The customer's identifier." }),
  name: z.string().meta(its.name),
  email: z.string().nullable().meta(its.email),
  phone: z.string().nullable().meta(its.phone),
  ...recordTimes,
});

export type CustomerView = z.infer<typeof customerView>;

export const customerRoutes = {
  createCustomer: route({
    audience: "public",
    service: "invoice",
    verb: "create-customer",
    method: "POST",
    path: "/business/customer/create",
    summary: "Create a customer",
    rateClass: "plan",
    body: z.object({
      name: title.meta(its.name),
      email: email.optional().meta(its.email),
      phone: phone.optional().meta(its.phone),
    }),
    reply: { status: 201, message: "Customer created successfully", data: customerView },
  }),
  listCustomers: route({
    audience: "public",
    service: "invoice",
    verb: "list-customers",
    method: "GET",
    path: "/business/customer/list",
    summary: "List customers, newest first",
    rateClass: "plan",
    query: pageQuery,
    reply: { status: 200, data: z.array(customerView), paging: "meta" },
  }),
  getCustomer: route({
    audience: "public",
    service: "invoice",
    verb: "get-customer",
    method: "GET",
    path: "/business/customer/details/:id",
    summary: "One customer",
    rateClass: "plan",
    params: { id: "customer" },
    reply: { status: 200, data: customerView },
  }),
  updateCustomer: route({
    audience: "public",
    service: "invoice",
    verb: "update-customer",
    method: "PATCH",
    path: "/business/customer/update/:id",
    summary: "Change a customer; only what is sent changes, null empties an email or a phone",
    rateClass: "plan",
    params: { id: "customer" },
    body: z.object({
      name: title.optional().meta(its.name),
      email: email.nullable().optional().meta(its.email),
      phone: phone.nullable().optional().meta(its.phone),
    }),
    reply: { status: 200, message: "Customer updated successfully", data: customerView },
  }),
} as const;

export const customerEvents = {
  "customer.created": event({ audience: "internal", data: customerView }),
  "customer.updated": event({ audience: "internal", data: customerView }),
} as const;
