import { z } from "zod";
import { call } from "../definition/call.ts";
import { objectId } from "../definition/fields.ts";
import { customerView } from "./customer.ts";
import { itemsMax, recordReference } from "./invoice-fields.ts";

/** The largest number of further orders that release 0.1.0 sends in one call. */
const otherOrdersMax = 99;

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
      /** Sent by release 0.1.0, ignored; remove in the next release. Its sender then asks one by one. */
      others: z
        .array(order.extend({ businessid: objectId }))
        .max(otherOrdersMax)
        .optional(),
    }),
    data: description.extend({
      /** Sent by release 0.1.0, ignored; remove in the next release. */
      others: z.array(description).optional(),
    }),
  }),
} as const;

export type OrderDescription = z.infer<typeof description>;
