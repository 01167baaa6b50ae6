import { type BodyOf, calls, coveredByCredit } from "@malipo/contracts";
import { cents, hourMs } from "@malipo/core";
import { callService, newId } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { onInvoice } from "../src/handlers/events/on-invoice.ts";
import { onPayment } from "../src/handlers/events/on-payment.ts";
import { onSubscriptionBilled } from "../src/handlers/events/on-subscription-billed.ts";
import { applyPayment } from "../src/workflows/apply-payment.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import type { Stock } from "./test-service.ts";
import {
  businessCreated,
  issue,
  paymentInitiated,
  type ServedShop,
  serveShop,
} from "./served-shop.ts";

const servers = useSharedServers();

function invoiceCreated({ businessid, customerid }: Stock, _id: string) {
  const at = "2026-11-01T08:00:00.000Z";
  const customer = { _id: customerid, name: "Asha" };
  const shown = { _id, invoiceno: "INV-000001", status: "unpaid", balance: 1_000 } as const;
  return {
    id: newId(),
    type: "invoice.created",
    seq: 1,
    businessid,
    recordid: _id,
    at,
    data: { ...shown, customer, duedate: at },
    inside: {
      title: "Internet",
      total: 1_000,
      paylink: { _id, code: "i23456789a" },
      issuedfor: null,
      createdat: at,
    },
  } as const;
}

/** Gives the customer credit that no event has applied yet. */
async function grantCredit({ deps, shop }: ServedShop, granted: number): Promise<void> {
  const grant = { creditid: newId(), granted: cents(granted) };
  await deps.credits.grant({ ...shop, invoiceid: newId() }, grant, { now: new Date() });
}

describe("describe-payable", () => {
  it("finds an invoice by its link's code in any business, and by id or key in its own business", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const billed = subscriptionBilled(shop);
    const invoice = await issue(world, billed);
    const { businessid } = shop;
    const { key } = billed.data;
    const describe = (body: BodyOf<typeof calls.describePayable>, of?: string) =>
      callService(deps.service, calls.describePayable, { body, ...(of && { businessid: of }) });
    await onPayment(deps)([paymentInitiated(shop, invoice._id, 300)]);
    const byCode = await describe({ code: invoice.link.code });
    expect(byCode).toEqual({
      ok: true,
      value: {
        invoiceid: invoice._id,
        invoiceno: "INV-000001",
        title: "Internet, November",
        businessid,
        customer: { _id: shop.customerid, name: "Asha", phone: null },
        link: { ...invoice.link, status: "active" },
        status: "unpaid",
        owed: 1_000,
        reserved: 300,
        counted: [],
        partpayment: false,
        payable: true,
        reason: null,
        subscriptionid: expect.any(String),
        duedate: "2026-11-08T08:00:00.000Z",
      },
    });
    expect(await describe({ invoiceid: invoice._id }, businessid)).toEqual(byCode);
    expect(await describe({ key }, businessid)).toEqual(byCode);
    const missing = { ok: false, error: { code: "not_found" } };
    expect(await describe({ invoiceid: invoice._id }, newId())).toMatchObject(missing);
    expect(await describe({ invoiceid: invoice._id })).toMatchObject(missing);
    expect(await describe({ key }, newId())).toMatchObject(missing);
    expect(await describe({ key })).toMatchObject(missing);
    expect(await describe({ key: { ...key, of: "2" } }, businessid)).toMatchObject(missing);
    expect(await describe({ code: "i222222222" })).toMatchObject(missing);
    const found = await deps.invoices.find(businessid, invoice._id);
    expect(await describe({ code: found?.code ?? "" })).toMatchObject(missing);
  });

  it("subtracts unspent credit without using it, and answers the same after the event used it", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const invoice = await issue(world);
    await grantCredit(world, 25_000);
    const stored = await deps.invoices.find(shop.businessid, invoice._id);
    const body = { code: invoice.link.code };
    const before = await callService(deps.service, calls.describePayable, { body });
    expect(before).toMatchObject({ ok: true, value: { owed: 750, status: "partially_paid" } });
    expect(await deps.credits.sumUnspent(shop)).toBe(25_000);
    expect(await deps.invoices.find(shop.businessid, invoice._id)).toEqual(stored);

    await onInvoice(deps)([invoiceCreated(shop, invoice._id)]);
    expect(await deps.credits.sumUnspent(shop)).toBe(0);
    expect(await callService(deps.service, calls.describePayable, { body })).toEqual(before);
  });

  it("names pending credit as the reason when unspent credit covers the whole invoice", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const invoice = await issue(world);
    await grantCredit(world, 100_000);
    const body = { code: invoice.link.code };
    const describe = () => callService(deps.service, calls.describePayable, { body });
    const covered = { payable: false, reason: coveredByCredit, owed: 0 };
    expect(await describe()).toMatchObject({ ok: true, value: covered });
    await onInvoice(deps)([invoiceCreated(shop, invoice._id)]);
    const paid = { payable: false, reason: "Invoice is paid" };
    expect(await describe()).toMatchObject({ ok: true, value: paid });
  });

  it("lists the transactions that the owed amount already subtracts, and no credit", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const invoice = await issue(world);
    const cause = { now: new Date() };
    await grantCredit(world, 25_000);
    const payment = { key: newId(), amount: cents(10_000), at: cause.now };
    await applyPayment(deps, shop.businessid, invoice._id, payment, cause);
    const body = { code: invoice.link.code };
    expect(await callService(deps.service, calls.describePayable, { body })).toMatchObject({
      ok: true,
      value: { owed: 650, counted: [payment.key] },
    });
  });

  it("answers the customer's present phone and the business's present setting", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const { businessid, customerid } = shop;
    const { link } = await issue(world);
    await deps.customers.updateWithRetry(
      businessid,
      customerid,
      { now: new Date() },
      (customer) => ({
        entity: { ...customer, phone: "254712345678" },
        events: [],
      }),
    );
    const { data, ...created } = businessCreated(businessid);
    const changed = { ...data, settings: { ...data.settings, partpayment: true } };
    await deps.businesses.apply([{ ...created, type: "business.updated", seq: 2, data: changed }]);
    const body = { code: link.code };
    expect(await callService(deps.service, calls.describePayable, { body })).toMatchObject({
      ok: true,
      value: { customer: { phone: "254712345678" }, partpayment: true },
    });
  });

  it("says why a paid invoice is not payable", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const invoice = await issue(world);
    await onPayment(deps)([paymentCompleted(shop.businessid, invoice._id, 1_000, new Date())]);
    const body = { code: invoice.link.code };
    expect(await callService(deps.service, calls.describePayable, { body })).toMatchObject({
      ok: true,
      value: { payable: false, reason: "Invoice is paid", owed: 0, link: { status: "paid" } },
    });
  });
});

describe("owed-by-customer and owed-by-subscription", () => {
  it.each(["customer", "subscription"])(
    "subtract unspent credit without using it (by %s)",
    async (whose) => {
      const world = await serveShop(servers);
      const { deps, shop } = world;
      const { businessid, customerid } = shop;
      const billed = subscriptionBilled(shop);
      await issue(world, billed);
      await grantCredit(world, 25_000);
      const { subscriptionid } = billed.data.key;
      const answer =
        whose === "customer"
          ? await callService(deps.service, calls.describeOwedByCustomer, {
              businessid,
              body: { customerid },
            })
          : await callService(deps.service, calls.describeOwedBySubscription, {
              businessid,
              body: { subscriptionid },
            });
      expect(answer).toMatchObject({ ok: true, value: { owed: 750 } });
      expect(await deps.credits.sumUnspent(shop)).toBe(25_000);
    },
  );

  it("list open invoices oldest first, after credit, and say what is overdue or being paid", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const { businessid, customerid } = shop;
    const billed = subscriptionBilled(shop);
    const first = await issue(world, billed);
    const second = await issue(world);
    const paid = await issue(world);
    await onPayment(deps)([paymentCompleted(businessid, paid._id, 1_200, new Date())]);
    const byCustomer = () =>
      callService(deps.service, calls.describeOwedByCustomer, { businessid, body: { customerid } });
    expect(await byCustomer()).toMatchObject({
      ok: true,
      value: { overdue: false, beingpaid: false },
    });

    const buckets = Array.from({ length: 64 }, (_, bucket) => bucket);
    const until = new Date(Date.now() + hourMs).toISOString();
    await callService(deps.service, calls.processOverdueInvoices, {
      body: { buckets, limit: 10, until },
    });
    await onPayment(deps)([paymentInitiated(shop, second._id, 500)]);
    const owed = await byCustomer();
    expect(owed).toMatchObject({
      ok: true,
      value: {
        owed: 1_800,
        overdue: true,
        beingpaid: true,
        more: false,
        invoices: [
          { invoiceid: first._id, owed: 800, status: "overdue", reserved: 0, link: first.link },
          { invoiceid: second._id, owed: 1_000, reserved: 500 },
        ],
      },
    });
    const { subscriptionid } = billed.data.key;
    const body = { subscriptionid: subscriptionid.toUpperCase() };
    expect(
      await callService(deps.service, calls.describeOwedBySubscription, { businessid, body }),
    ).toMatchObject({
      ok: true,
      value: { owed: 800, invoices: [{ invoiceid: first._id, issuedfor: billed.data.key }] },
    });
    const otherBusiness = { businessid: newId(), body: { customerid } };
    expect(
      await callService(deps.service, calls.describeOwedByCustomer, otherBusiness),
    ).toMatchObject({
      ok: true,
      value: { owed: 0, invoices: [] },
    });
  });
});

describe("owed-by-customer", () => {
  it("lists the oldest 100 invoices and says that there are more", async () => {
    const { deps, shop } = await serveShop(servers);
    const { businessid, customerid } = shop;
    const events = Array.from({ length: 101 }, () => subscriptionBilled(shop));
    await onSubscriptionBilled(deps)(events);
    const body = { customerid };
    const answer = await callService(deps.service, calls.describeOwedByCustomer, {
      businessid,
      body,
    });
    expect(answer).toMatchObject({ ok: true, value: { owed: 100_000, more: true } });
    expect(answer.ok && answer.value.invoices).toHaveLength(100);
  });

  it("leaves out invoices that unspent credit pays, oldest first", async () => {
    const world = await serveShop(servers);
    const { deps, shop } = world;
    const [, second] = [await issue(world), await issue(world)];
    await grantCredit(world, 130_000);
    const { businessid, customerid } = shop;
    const body = { customerid };
    const answer = await callService(deps.service, calls.describeOwedByCustomer, {
      businessid,
      body,
    });
    expect(answer).toMatchObject({
      ok: true,
      value: { owed: 700, invoices: [{ invoiceid: second._id, owed: 700 }], more: false },
    });
    expect(await deps.credits.sumUnspent(shop)).toBe(130_000);
  });
});
