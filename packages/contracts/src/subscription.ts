import { z } from "zod";
import { event } from "./event.ts";
import { objectId, timestamp } from "./fields.ts";
import { issueKey } from "./invoice-events.ts";

/** A line as the subscription has it; products were looked up when it was made. */
const billedItem = z.object({
  itemid: objectId,
  title: z.string(),
  quantity: z.int().min(1),
  rate: z.number().min(0),
});

/** What an invoice is issued from: one under its key, however often it is asked for. */
export const billing = z.object({
  key: issueKey,
  customerid: objectId,
  title: z.string(),
  items: z.array(billedItem).min(1).max(200),
  duedate: timestamp,
});

export const subscriptionEvents = {
  /** A period is billed. The invoice's date is the event's own moment. */
  "subscription.billed": event({ audience: "internal", data: billing }),
} as const;
