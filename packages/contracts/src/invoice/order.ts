import { z } from "zod";
import { call } from "../definition/call.ts";
import { objectId } from "../definition/fields.ts";
import { customerView } from "./customer.ts";
import { recordReference } from "./invoice-fields.ts";

const itemsMax = 200;
/** Orders that are asked for beside another one. */
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
  /** What subscriptions name, as it is now: whoever asks says what is missing. */
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
      /** Each in its place; an older release tells of none. */
      others: z.array(description).optional(),
    }),
  }),
} as const;

export type OrderDescription = z.infer<typeof description>;
