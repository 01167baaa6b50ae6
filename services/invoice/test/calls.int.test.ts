import { allCalls, calls } from "@malipo/contracts";
import { callService, newId } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { changeInvoice } from "../src/domain/invoice/change-invoice.ts";
import { onPayment } from "../src/handlers/events/on-payment.ts";
import { creditIdOf } from "../src/store/credits.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import { issue, serveShop } from "./served-shop.ts";
import { type Stock, stock } from "./test-service.ts";

const servers = useSharedServers();

describe("find-issued and find-payments", () => {
  it("answer the invoice of each bill, and whether each payment has arrived", async () => {
    const { deps, shop } = await serveShop(servers);
    const { businessid } = shop;
    const [billed, unbilled] = [subscriptionBilled(shop), subscriptionBilled(shop)];
    const { _id } = await issue({ deps, shop }, billed);
    const bills = [unbilled, billed].map(({ data }) => ({ businessid, ...data.key }));
    expect(
      await callService(deps.service, calls.findIssuedInvoices, { body: { bills } }),
    ).toMatchObject({
      ok: true,
      value: { invoices: [null, { _id, status: "unpaid", duedate: billed.data.duedate, seq: 1 }] },
    });
    const cause = { now: new Date() };
    for (const status of ["overdue", "unpaid"] as const) {
      await deps.invoices.update(businessid, _id, cause, (invoice) =>
        changeInvoice(invoice, { status }, { now: cause.now, creditIdOf }),
      );
    }
    const excused = { invoices: [null, { _id, status: "unpaid", excused: true }] };
    expect(
      await callService(deps.service, calls.findIssuedInvoices, { body: { bills } }),
    ).toMatchObject({
      value: excused,
    });
    const body = { subscriptionid: billed.data.key.subscriptionid };
    expect(
      await callService(deps.service, calls.describeOwedBySubscription, { businessid, body }),
    ).toMatchObject({
      value: { invoices: [{ invoiceid: _id, excused: true }] },
    });
    // The second payment finds nothing left to pay, so the whole amount becomes credit.
    const transactionids = [newId(), newId()];
    for (const id of transactionids) {
      await onPayment(deps)([paymentCompleted(businessid, _id, 1_000, new Date(), id)]);
    }
    const payments = [newId(), ...transactionids].map((transactionid) => {
      return { businessid, invoiceid: _id, transactionid };
    });
    expect(
      await callService(deps.service, calls.findAppliedPayments, { body: { payments } }),
    ).toMatchObject({
      ok: true,
      value: { known: [false, true, true] },
    });
  });
});

const orderOf = ({ customerid, productid }: Stock) => ({ customerid, itemids: [productid] });
const describedOrder = ({ customerid, productid }: Stock) => ({
  customer: expect.objectContaining({ _id: customerid }),
  products: [{ _id: productid, title: "Internet" }],
});

describe("describeOrder", () => {
  it("describes the customer and the products of the asking business only", async () => {
    const { deps, shop } = await serveShop(servers);
    const other = await stock(deps);
    const { businessid } = shop;
    const describe = async (body: object) =>
      callService(deps.service, calls.describeOrder, {
        businessid,
        body: { ...orderOf(shop), ...body },
      });
    expect(await describe({})).toEqual({ ok: true, value: describedOrder(shop) });
    const nothing = { customer: null, products: [] };
    expect(await describe(orderOf(other))).toEqual({ ok: true, value: nothing });
    const itemids = ["none", newId(), shop.productid];
    expect(await describe({ customerid: null, itemids })).toEqual({
      ok: true,
      value: { ...describedOrder(shop), customer: null },
    });
  });

  it("ignores the further orders that release 0.1.0 sends", async () => {
    const { deps, shop } = await serveShop(servers);
    const other = await stock(deps);
    const { businessid } = shop;
    const others = [{ businessid: other.businessid, ...orderOf(other) }];
    const body = { ...orderOf(shop), others };
    expect(await callService(deps.service, calls.describeOrder, { businessid, body })).toEqual({
      ok: true,
      value: describedOrder(shop),
    });
  });
});

describe("a call of another business", () => {
  it("finds nothing and changes nothing, for every call of the contract", async () => {
    const { deps, shop } = await serveShop(servers);
    const billed = subscriptionBilled(shop);
    const { _id: invoiceid } = await issue({ deps, shop }, billed);
    const paid = newId();
    const payment = paymentCompleted(shop.businessid, invoiceid, 100, new Date(), paid);
    await onPayment(deps)([payment]);
    const { customerid, productid } = shop;
    const { subscriptionid } = billed.data.key;
    const notFound = { ok: false, error: { code: "not_found" } };
    const nothingOwed = { ok: true, value: { owed: 0, invoices: [] } };
    const expected: Record<string, { body: object; answer: object }> = {
      "describe-order": {
        body: { customerid, itemids: [productid] },
        answer: { ok: true, value: { customer: null, products: [] } },
      },
      "issue-invoice": { body: billed.data, answer: notFound },
      "cancel-invoice": { body: { invoiceid }, answer: notFound },
      "describe-payable": { body: { invoiceid }, answer: notFound },
      "owed-by-customer": { body: { customerid }, answer: nothingOwed },
      "owed-by-subscription": { body: { subscriptionid }, answer: nothingOwed },
      // These calls name a business in each entry.
      "find-issued": {
        body: { bills: [{ businessid: newId(), ...billed.data.key }] },
        answer: { ok: true, value: { invoices: [null] } },
      },
      "find-payments": {
        body: { payments: [{ businessid: newId(), invoiceid, transactionid: paid }] },
        answer: { ok: true, value: { known: [false] } },
      },
    };
    // Processing overdue invoices and reporting health belong to no business.
    const ofNoBusiness = new Set([
      calls.processOverdueInvoices.verb,
      calls.reportInvoiceHealth.verb,
    ]);
    const ours = allCalls.filter(
      ({ service, verb }) => service === "invoice" && !ofNoBusiness.has(verb),
    );
    await deps.service.outbox.flush();
    const before = await deps.invoices.find(shop.businessid, invoiceid);
    for (const one of ours) {
      const { verb } = one;
      const { body, answer } = expected[verb] ?? {};
      const got = await callService(deps.service, one, { businessid: newId(), body });
      expect({ verb, got }).toMatchObject({ verb, got: answer });
    }
    expect(await deps.invoices.find(shop.businessid, invoiceid)).toEqual(before);
  });
});
