import type { EventData, IssuedFor } from "@malipo/contracts";
import { centsToShillings } from "@malipo/core";
import type { Subscription } from "./subscription.ts";

/** What the invoice service needs to know to issue an invoice. */
export function billingOf(
  { id, customerid, title, items }: Subscription,
  issue: Omit<IssuedFor, "subscriptionid">,
  duedate: Date,
): EventData<"subscription.billed"> {
  return {
    key: { subscriptionid: id, ...issue },
    customerid,
    title,
    items: items.map((item) => ({ ...item, rate: centsToShillings(item.rate) })),
    duedate: duedate.toISOString(),
  };
}
