import type { EventOf } from "@malipo/contracts";
import { newId } from "@malipo/platform";
import type { Stock } from "./test-service.ts";

/** The event of a billed period. */
export function subscriptionBilled(
  { businessid, customerid, productid }: Stock,
  { rate = 1_000, subscriptionid = newId(), of = "2026-11-01T08:00:00.000Z" } = {},
): EventOf<"subscription.billed"> {
  return {
    id: `evt_${newId()}`,
    type: "subscription.billed",
    seq: 1,
    businessid,
    recordid: subscriptionid,
    at: "2026-11-01T08:00:00.000Z",
    data: {
      key: { subscriptionid, why: "cycle", of },
      customerid,
      title: "Internet, November",
      items: [{ itemid: productid, title: "Internet", quantity: 1, rate }],
      duedate: "2026-11-08T08:00:00.000Z",
    },
    inside: undefined,
  };
}
