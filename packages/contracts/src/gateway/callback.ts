import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";

/** What a provider called back with, on its way from the gateway to the payment service. */
export const callbackMessage = z.object({
  id: z.string(),
  provider: z.literal("mpesa"),
  /** Of the token in the address that was called. */
  transactionid: objectId,
  /** Where the call came from. */
  address: z.string(),
  at: timestamp,
  /** The body as it came, in base64. */
  body: z.base64(),
  /** The trace in which it came. */
  traceparent: z.string().optional(),
});

export type CallbackMessage = z.infer<typeof callbackMessage>;
