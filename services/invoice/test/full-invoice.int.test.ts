import { cents, ok } from "@malipo/core";
import { newId } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { onPayment } from "../src/handlers/events/on-payment.ts";
import { onSubscriptionBilled } from "../src/handlers/events/on-subscription-billed.ts";
import type { Invoice } from "../src/domain/invoice/invoice.ts";
import { payInvoice, paymentsMax } from "../src/domain/invoice/pay-invoice.ts";
import { viewPayable } from "../src/domain/invoice/view-owed.ts";
import { creditIdOf } from "../src/store/credits.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import { listInvoices, openInvoiceService, stock } from "./test-service.ts";

const servers = useSharedServers();
const now = new Date("2026-11-02T08:00:00Z");

function fill(invoice: Invoice): Invoice {
  const payment = { key: newId(), amount: cents(1), at: now };
  const change = payInvoice(invoice, payment, { now, creditIdOf });
  return change ? fill(change.entity) : invoice;
}

describe("a full invoice", () => {
  it("leaves the whole amount of a further payment as credit, once", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    await onSubscriptionBilled(deps)([subscriptionBilled(shop)]);
    const [issued] = await listInvoices(deps, shop.businessid);
    if (!issued) throw new Error("not issued");
    const updated = await deps.invoices.update(shop.businessid, issued.id, { now }, (invoice) =>
      ok({ entity: fill(invoice), events: [] }),
    );
    const full = updated?.invoice;
    expect(full?.payments).toHaveLength(paymentsMax);
    expect(full && viewPayable(full, { phone: null, partpayment: true }, now)).toMatchObject({
      payable: false,
      reason: "Invoice takes no further payments",
    });

    const payment = paymentCompleted(shop.businessid, issued.id, 300, now);
    for (const delivery of [payment, payment]) {
      expect(await onPayment(deps)([delivery])).toEqual([]);
      expect(await deps.credits.sumUnspent(shop)).toBe(30_000);
    }
    const after = await deps.invoices.find(shop.businessid, issued.id);
    expect(after).toEqual(full);
  });
});
