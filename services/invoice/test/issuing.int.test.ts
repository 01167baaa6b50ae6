import { newId } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { onSubscriptionBilled } from "../src/handlers/events/on-subscription-billed.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { openInvoiceService, stock } from "./test-service.ts";

const servers = useSharedServers();

async function issuedIn({ invoices }: Deps, businessid: string) {
  return invoices.some(businessid, {}, { sort: { invoiceno: 1 }, limit: 1_000 });
}

describe("issuing from what subscriptions bill", () => {
  it("makes one invoice of each, in one batch, with numbers in a block", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    const events = Array.from({ length: 100 }, () => subscriptionBilled(shop));
    expect(await onSubscriptionBilled(deps)(events)).toEqual([]);
    const issued = await issuedIn(deps, shop.businessid);
    expect(issued.map(({ invoiceno }) => invoiceno)).toEqual(
      Array.from({ length: 100 }, (_, index) => `INV-${String(index + 1).padStart(6, "0")}`),
    );
    expect(issued[0]).toMatchObject({
      title: "Internet, November",
      status: "unpaid",
      balance: 100_000,
      invoicedate: new Date("2026-11-01T08:00:00Z"),
      duedate: new Date("2026-11-08T08:00:00Z"),
      issuedfor: events[0]?.data.key,
    });
    const links = await Promise.all(issued.map(({ paylink }) => deps.codes.find(paylink.code)));
    expect(links.map((link) => link?.recordid)).toEqual(issued.map(({ id }) => id));
    const [document] = await deps.invoices.collection
      .find({ businessid: new ObjectId(shop.businessid) })
      .toArray();
    expect(document?.events).toMatchObject([{ type: "invoice.created", seq: 1 }]);
  });

  it("makes none twice: within a batch, in a batch that comes again, and by two workers", async () => {
    const [one, other] = await Promise.all([
      openInvoiceService(servers),
      openInvoiceService(servers),
    ]);
    const shop = await stock(one);
    const events = Array.from({ length: 60 }, () => subscriptionBilled(shop));
    const repeated = [...events, ...events.slice(0, 20)];
    await Promise.all([
      onSubscriptionBilled(one)(repeated),
      onSubscriptionBilled(other)(events.toReversed()),
      onSubscriptionBilled(one)(events),
    ]);
    await onSubscriptionBilled(other)(events);
    const issued = await issuedIn(one, shop.businessid);
    expect(new Set(issued.map(({ issuekey }) => issuekey)).size).toBe(60);
    expect(new Set(issued.map(({ invoiceno }) => invoiceno)).size).toBe(60);
    expect(issued).toHaveLength(60);
  });

  it("refuses only what cannot be issued", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    const nobodys = subscriptionBilled({ ...shop, customerid: newId() });
    const odd = subscriptionBilled(shop, { rate: 1.234 });
    const good = subscriptionBilled(shop);
    expect(await onSubscriptionBilled(deps)([nobodys, odd, good])).toEqual([
      { event: nobodys.id, reason: "Customer not found" },
      { event: odd.id, reason: "rate is more than two decimals" },
    ]);
    expect(await issuedIn(deps, shop.businessid)).toHaveLength(1);
  });
});
