import { z } from "zod";
import { call } from "./call.ts";
import { customerView } from "./customer.ts";
import { reference } from "./invoice-fields.ts";
import { objectId } from "./fields.ts";

const itemsMax = 200;

export const orderCalls = {
  /** What a subscription names, as it is now: whoever asks says what is missing. */
  describeOrder: call({
    service: "invoice",
    verb: "describe-order",
    askedBy: ["subscription"],
    effect: "reads",
    body: z.object({
      customerid: reference.nullable(),
      itemids: z.array(reference).max(itemsMax),
    }),
    data: z.object({
      customer: customerView.nullable(),
      products: z.array(z.object({ _id: objectId, title: z.string() })),
    }),
  }),
} as const;
