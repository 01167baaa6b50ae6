import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

const receiptView = z.object({
  _id: objectId.meta({ description: "The receipt's identifier." }),
  receiptno: z
    .string()
    .meta({ description: "Its number, one after another.", examples: ["RCT-000001"] }),
  transactionid: objectId.meta({ description: "The transaction it is for." }),
  invoiceid: objectId.nullable().meta({ description: "The invoice that was paid." }),
  amount: z.number().meta({ description: "Shillings.", examples: [2500] }),
  phone: z.string().meta({ description: "The phone that paid.", examples: ["254712345678"] }),
  momoreceiptnumber: z
    .string()
    .nullable()
    .meta({
      description: "M-Pesa's receipt; null until it is known.",
      examples: ["UKL7A1B2C3"],
    }),
  url: z.string().meta({
    description: "Where it can be seen and printed by whoever has the address.",
    examples: ["https://pay.example.co.ke/r/5yqfh2m8n3k7x4c9b6t1w0d5ga"],
  }),
  createdat: timestamp.meta({ description: "When it was issued." }),
});

export type ReceiptView = z.infer<typeof receiptView>;

export const receiptRoutes = {
  listReceipts: route({
    audience: "public",
    service: "payment",
    verb: "list-receipts",
    method: "GET",
    path: "/business/receipt/list",
    summary: "List receipts, newest first",
    rateClass: "plan",
    query: listQuery({
      invoiceid: objectId.optional().meta({ description: "Only those for this invoice." }),
      transactionid: objectId.optional().meta({ description: "Only that of this transaction." }),
    }),
    reply: { status: 200, data: z.array(receiptView), paging: "meta" },
  }),
  getReceipt: route({
    audience: "public",
    service: "payment",
    verb: "get-receipt",
    method: "GET",
    path: "/business/receipt/details/:id",
    summary: "One receipt",
    rateClass: "plan",
    params: { id: "receipt" },
    reply: { status: 200, data: receiptView },
  }),
} as const;
