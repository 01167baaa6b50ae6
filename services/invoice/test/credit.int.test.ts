import { cents } from "@malipo/core";
import { newId } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { onSubscriptionBilled } from "../src/handlers/events/on-subscription-billed.ts";
import { applyCredit } from "../src/workflows/apply-credit.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { listInvoices, openInvoiceService, stock } from "./test-service.ts";

const servers = useSharedServers();
const cause = { now: new Date("2026-11-02T08:00:00Z") };

describe("a customer's credit", () => {
  it("is the larger of two totals that are granted at once, in either order", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    for (const amounts of [
      [100, 250],
      [250, 100],
    ]) {
      const customer = { ...shop, customerid: newId(), invoiceid: newId() };
      const creditid = newId();
      const grants = amounts.map(async (amount) =>
        deps.credits.grant(customer, { creditid, granted: cents(amount) }, cause),
      );
      await Promise.all(grants);
      expect(await deps.credits.sumUnspent(customer)).toBe(250);
    }
  });

  it("first pays the invoice that its money was paid for, although 59 invoices are older", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    await onSubscriptionBilled(deps)(Array.from({ length: 60 }, () => subscriptionBilled(shop)));
    const issued = await listInvoices(deps, shop.businessid);
    const [oldest, newest] = [issued.at(0)?.id ?? "", issued.at(-1)?.id ?? ""];
    const grant = { creditid: newId(), granted: cents(130_000) };
    await deps.credits.grant({ ...shop, invoiceid: newest }, grant, cause);
    await applyCredit(deps, shop, cause);
    expect(await deps.credits.sumUnspent(shop)).toBe(0);
    const statusOf = async (id: string) => (await deps.invoices.find(shop.businessid, id))?.status;
    expect([await statusOf(newest), await statusOf(oldest)]).toEqual(["paid", "partially_paid"]);
  });
});
