import { z } from "zod";
import { call } from "../definition/call.ts";
import { objectId } from "../definition/fields.ts";
import { customerView } from "./customer.ts";
import { itemsMax, recordReference } from "./invoice-fields.ts";

/** The largest number of further orders in one call. */
export const otherOrdersMax = 99;

const order = z.object({
  customerid: recordReference.nullable(),
  itemids: z.array(recordReference).max(itemsMax),
});

const description = z.object({
  customer: customerView.nullable(),
  products: z.array(z.object({ _id: objectId, title: z.string() })),
});

export const orderCalls = {
  /** Describes the customer and the products that a subscription names. The caller reports what is missing. */
  describeOrder: call({
    service: "invoice",
    verb: "describe-order",
    callers: ["subscription"],
    effect: "reads",
    body: order.extend({
      others: z
        .array(order.extend({ businessid: objectId }))
        .max(otherOrdersMax)
        .optional(),
    }),
    data: description.extend({
      /** In the order of the request. An older release leaves it out. */
      others: z.array(description).optional(),
    }),
  }),
} as const;

export type OrderDescription = z.infer<typeof description>;
