import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";

/** A provider's callback, as the gateway passes it to the payment service. */
export const callbackMessage = z.object({
  id: z.string(),
  provider: z.literal("mpesa"),
  /** The transaction that the token in the callback's address belongs to. */
  transactionid: objectId,
  /** The IP address of the caller. */
  address: z.string(),
  at: timestamp,
  /** The unchanged body, in base64. */
  body: z.base64(),
  /** The trace of the callback's request. */
  traceparent: z.string().optional(),
});

export type CallbackMessage = z.infer<typeof callbackMessage>;
