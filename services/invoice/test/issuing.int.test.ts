import { newId } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { onSubscriptionBilled } from "../src/handlers/events/on-subscription-billed.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { listInvoices, openInvoiceService, stock } from "./test-service.ts";

const servers = useSharedServers();

describe("issuing from subscription.billed", () => {
  it("issues one invoice per event of a batch, numbered in a block", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    const events = Array.from({ length: 100 }, () => subscriptionBilled(shop));
    expect(await onSubscriptionBilled(deps)(events)).toEqual([]);
    const issued = await listInvoices(deps, shop.businessid);
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

  it("issues one invoice per key when events repeat in a batch, in a second batch, and in two workers", async () => {
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
    const issued = await listInvoices(one, shop.businessid);
    expect(new Set(issued.map(({ issuekey }) => issuekey)).size).toBe(60);
    expect(new Set(issued.map(({ invoiceno }) => invoiceno)).size).toBe(60);
    expect(issued).toHaveLength(60);
  });

  it("refuses only the events that cannot be issued", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    const unknownCustomer = subscriptionBilled({ ...shop, customerid: newId() });
    const odd = subscriptionBilled(shop, { rate: 1.234 });
    const good = subscriptionBilled(shop);
    expect(await onSubscriptionBilled(deps)([unknownCustomer, odd, good])).toEqual([
      { event: unknownCustomer.id, reason: "Customer not found" },
      { event: odd.id, reason: "rate is more than two decimals" },
    ]);
    expect(await listInvoices(deps, shop.businessid)).toHaveLength(1);
  });
});
