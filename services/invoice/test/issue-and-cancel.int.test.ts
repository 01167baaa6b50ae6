import { calls } from "@malipo/contracts";
import { cents } from "@malipo/core";
import { callService, newId } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { onPayment } from "../src/handlers/events/on-payment.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import { issue, paymentInitiated, serveShop } from "./served-shop.ts";

const servers = useSharedServers();

describe("issue-invoice", () => {
  it("answers the same invoice in its present state when the key is repeated", async () => {
    const world = await serveShop(servers);
    const billed = subscriptionBilled(world.shop);
    const first = await issue(world, billed);
    expect(first).toMatchObject({ invoiceno: "INV-000001", status: "unpaid", balance: 1_000 });
    expect(first.paymentlink).toMatch(new RegExp(`/p/${first.link.code}$`));
    const payment = paymentCompleted(world.shop.businessid, first._id, 400, new Date());
    await onPayment(world.deps)([payment]);
    expect(await issue(world, billed)).toEqual({
      ...first,
      status: "partially_paid",
      balance: 600,
    });
    const other = { ...billed.data.key, of: "2" };
    const next = await issue(world, { ...billed, data: { ...billed.data, key: other } });
    expect(next.invoiceno).toBe("INV-000002");
  });

  it("answers not_found for a customer of another business", async () => {
    const { deps, shop } = await serveShop(servers);
    const { data } = subscriptionBilled(shop);
    const answer = await callService(deps.service, calls.issueInvoice, {
      businessid: newId(),
      body: data,
    });
    expect(answer).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});

function conflict(text: string) {
  return { ok: false, error: { code: "conflict", text } };
}

describe("cancel-invoice", () => {
  it("cancels once, and answers a conflict when the invoice is paid or being paid", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const { businessid } = shop;
    const cancel = (invoiceid: string, of = businessid) =>
      callService(deps.service, calls.cancelInvoice, { businessid: of, body: { invoiceid } });

    const open = await issue(world);
    const done = { ok: true, value: { invoiceid: open._id, status: "cancelled" } };
    expect([await cancel(open._id), await cancel(open._id)]).toEqual([done, done]);

    const prompted = await issue(world);
    const prompt = paymentInitiated(shop, prompted._id, 1_000);
    await onPayment(deps)([prompt]);
    expect(await cancel(prompted._id)).toMatchObject(conflict("Invoice is being paid"));
    await onPayment(deps)([{ ...prompt, type: "payment.completed" }]);
    expect(await cancel(prompted._id)).toMatchObject(conflict("Invoice is paid"));

    const refused = await issue(world);
    const failing = paymentInitiated(shop, refused._id, 1_000);
    await onPayment(deps)([failing]);
    expect(await cancel(refused._id)).toMatchObject(conflict("Invoice is being paid"));
    await onPayment(deps)([{ ...failing, type: "payment.failed" }]);
    expect(await cancel(refused._id)).toMatchObject({ ok: true });

    expect(await cancel(open._id, newId())).toMatchObject({ error: { code: "not_found" } });
  });

  it("first pays the invoice with the customer's credit, and refuses when that pays all of it", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const invoice = await issue(world);
    const grant = { creditid: newId(), granted: cents(100_000) };
    await deps.credits.grant({ ...shop, invoiceid: newId() }, grant, { now: new Date() });
    const body = { invoiceid: invoice._id };
    const { businessid } = shop;
    expect(
      await callService(deps.service, calls.cancelInvoice, { businessid, body }),
    ).toMatchObject(conflict("Invoice is paid"));
    expect(await deps.credits.sumUnspent(shop)).toBe(0);
  });
});
