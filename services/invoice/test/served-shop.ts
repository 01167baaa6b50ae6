import { calls } from "@malipo/contracts";
import { callService, newId, serveRoutes } from "@malipo/platform";
import type { SharedServers } from "@malipo/testing";
import type { Deps } from "../src/deps.ts";
import { handlers } from "../src/handlers/index.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import { openInvoiceService, type Stock, stock } from "./test-service.ts";

/** A service that answers calls, and a business with a customer and a product. */
export interface ServedShop {
  readonly deps: Deps;
  readonly shop: Stock;
}

export async function serveShop(servers: SharedServers): Promise<ServedShop> {
  const deps = await openInvoiceService(servers);
  await serveRoutes(deps.service, handlers, deps);
  const shop = await stock(deps);
  await deps.businesses.apply([businessCreated(shop.businessid)]);
  return { deps, shop };
}

export function businessCreated(_id: string) {
  const at = "2026-11-01T08:00:00.000Z";
  const settings = {
    displayname: "Duka",
    feepercent: 0,
    feefixed: 0,
    duedays: 7,
    duedaysweekly: 3,
    partpayment: false,
  };
  const data = {
    _id,
    name: "Duka",
    plan: "free",
    limits: null,
    status: "active",
    settings,
    createdat: at,
    updatedat: at,
  } as const;
  const envelope = { id: newId(), seq: 1, businessid: _id, recordid: _id, at, inside: undefined };
  return { ...envelope, type: "business.created", data } as const;
}

/** Issues an invoice by a call. */
export async function issue({ deps, shop }: ServedShop, billed = subscriptionBilled(shop)) {
  const { businessid } = shop;
  const answer = await callService(deps.service, calls.issueInvoice, {
    businessid,
    body: billed.data,
  });
  if (!answer.ok) throw new Error(answer.error.text);
  return answer.value;
}

/** The event of a prompt that was sent. */
export function paymentInitiated(shop: Stock, invoiceid: string, amount: number, at = new Date()) {
  const event = paymentCompleted(shop.businessid, invoiceid, amount, at);
  return {
    ...event,
    type: "payment.initiated",
    data: { ...event.data, status: "pending" },
  } as const;
}
