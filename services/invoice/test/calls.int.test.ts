import { allCalls, type BodyOf, calls } from "@malipo/contracts";
import { cents, hourMs } from "@malipo/core";
import { ask, newId, serveRoutes } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { changeInvoice } from "../src/domain/invoice/change-invoice.ts";
import type { Deps } from "../src/deps.ts";
import { handlers } from "../src/handlers/index.ts";
import { onPayment } from "../src/handlers/on-payment.ts";
import { onSubscriptionBilled } from "../src/handlers/on-subscription-billed.ts";
import { receivePayment } from "../src/workflows/apply-credit.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import { openInvoiceService, type Stock, stock } from "./test-service.ts";

const servers = useSharedServers();

async function served(): Promise<{ deps: Deps; shop: Stock }> {
  const deps = await openInvoiceService(servers);
  await serveRoutes(deps.service, handlers, deps);
  const shop = await stock(deps);
  await deps.businesses.apply([businessCreated(shop.businessid)]);
  return { deps, shop };
}

function businessCreated(_id: string) {
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

async function issue(
  { deps, shop }: { deps: Deps; shop: Stock },
  billed = subscriptionBilled(shop),
) {
  const { businessid } = shop;
  const answer = await ask(deps.service, calls.issueInvoice, { businessid, body: billed.data });
  if (!answer.ok) throw new Error(answer.error.text);
  return answer.value;
}

function initiated(shop: Stock, invoiceid: string, amount: number, at = new Date()) {
  const event = paymentCompleted(shop.businessid, invoiceid, amount, at);
  return {
    ...event,
    type: "payment.initiated",
    data: { ...event.data, status: "pending" },
  } as const;
}

describe("issuing on request", () => {
  it("answers with one invoice for one key, as it is now", async () => {
    const world = await served();
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

  it("refuses a customer that the business does not have", async () => {
    const { deps, shop } = await served();
    const { data } = subscriptionBilled(shop);
    const answer = await ask(deps.service, calls.issueInvoice, { businessid: newId(), body: data });
    expect(answer).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});

function conflict(text: string) {
  return { ok: false, error: { code: "conflict", text } };
}

describe("cancelling", () => {
  it("is done once, and refused when it is paid or being paid", async () => {
    const world = await served();
    const { deps, shop } = world;
    const { businessid } = shop;
    const cancel = (invoiceid: string, of = businessid) =>
      ask(deps.service, calls.cancelInvoice, { businessid: of, body: { invoiceid } });

    const open = await issue(world);
    const done = { ok: true, value: { invoiceid: open._id, status: "cancelled" } };
    expect([await cancel(open._id), await cancel(open._id)]).toEqual([done, done]);

    const prompted = await issue(world);
    const prompt = initiated(shop, prompted._id, 1_000);
    await onPayment(deps)([prompt]);
    expect(await cancel(prompted._id)).toMatchObject(conflict("Invoice is being paid"));
    await onPayment(deps)([{ ...prompt, type: "payment.completed" }]);
    expect(await cancel(prompted._id)).toMatchObject(conflict("Invoice is paid"));

    const refused = await issue(world);
    const failing = initiated(shop, refused._id, 1_000);
    await onPayment(deps)([failing]);
    expect(await cancel(refused._id)).toMatchObject(conflict("Invoice is being paid"));
    await onPayment(deps)([{ ...failing, type: "payment.failed" }]);
    expect(await cancel(refused._id)).toMatchObject({ ok: true });

    expect(await cancel(open._id, newId())).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("describing what may be paid", () => {
  it("goes by the code of the link, or by id or key within the business", async () => {
    const world = await served();
    const { deps, shop } = world;
    const billed = subscriptionBilled(shop);
    const invoice = await issue(world, billed);
    const { businessid } = shop;
    const { key } = billed.data;
    const describe = (body: BodyOf<typeof calls.describePayable>, of?: string) =>
      ask(deps.service, calls.describePayable, { body, ...(of && { businessid: of }) });
    await onPayment(deps)([initiated(shop, invoice._id, 300)]);
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
    expect(await describe({ code: found?.entity.code ?? "" })).toMatchObject(missing);
  });

  it("uses the customer's credit first", async () => {
    const world = await served();
    const { deps, shop } = world;
    const invoice = await issue(world);
    const origin = { ...shop, invoiceid: newId() };
    await deps.credits.grant(
      origin,
      { creditid: newId(), granted: cents(25_000) },
      { now: new Date() },
    );
    const body = { code: invoice.link.code };
    expect(await ask(deps.service, calls.describePayable, { body })).toMatchObject({
      ok: true,
      value: { owed: 750, status: "partially_paid" },
    });
  });

  it("names the transactions that are off what is owed, and no credit", async () => {
    const world = await served();
    const { deps, shop } = world;
    const invoice = await issue(world);
    const origin = { ...shop, invoiceid: newId() };
    const cause = { now: new Date() };
    await deps.credits.grant(origin, { creditid: newId(), granted: cents(25_000) }, cause);
    const payment = { key: newId(), amount: cents(10_000), at: cause.now };
    await receivePayment(deps, shop.businessid, invoice._id, payment, cause);
    const body = { code: invoice.link.code };
    expect(await ask(deps.service, calls.describePayable, { body })).toMatchObject({
      ok: true,
      value: { owed: 650, counted: [payment.key] },
    });
  });

  it("goes by the customer's present phone and the business's present setting", async () => {
    const world = await served();
    const { deps, shop } = world;
    const { businessid, customerid } = shop;
    const { link } = await issue(world);
    await deps.customers.amend(businessid, customerid, { now: new Date() }, (customer) => ({
      entity: { ...customer, phone: "254712345678" },
      events: [],
    }));
    const { data, ...created } = businessCreated(businessid);
    const changed = { ...data, settings: { ...data.settings, partpayment: true } };
    await deps.businesses.apply([{ ...created, type: "business.updated", seq: 2, data: changed }]);
    const body = { code: link.code };
    expect(await ask(deps.service, calls.describePayable, { body })).toMatchObject({
      ok: true,
      value: { customer: { phone: "254712345678" }, partpayment: true },
    });
  });

  it("says why it may not", async () => {
    const world = await served();
    const { deps, shop } = world;
    const invoice = await issue(world);
    await onPayment(deps)([paymentCompleted(shop.businessid, invoice._id, 1_000, new Date())]);
    const body = { code: invoice.link.code };
    expect(await ask(deps.service, calls.describePayable, { body })).toMatchObject({
      ok: true,
      value: { payable: false, reason: "Invoice is paid", owed: 0, link: { status: "paid" } },
    });
  });
});

describe("what is owed", () => {
  it.each(["customer", "subscription"])("by a %s is what credit leaves", async (whose) => {
    const world = await served();
    const { deps, shop } = world;
    const { businessid, customerid } = shop;
    const billed = subscriptionBilled(shop);
    await issue(world, billed);
    const grant = { creditid: newId(), granted: cents(25_000) };
    await deps.credits.grant({ ...shop, invoiceid: newId() }, grant, { now: new Date() });
    const { subscriptionid } = billed.data.key;
    const answer =
      whose === "customer"
        ? await ask(deps.service, calls.describeOwedByCustomer, {
            businessid,
            body: { customerid },
          })
        : await ask(deps.service, calls.describeOwedBySubscription, {
            businessid,
            body: { subscriptionid },
          });
    expect(answer).toMatchObject({ ok: true, value: { owed: 750 } });
    expect(await deps.credits.sumOf(shop)).toBe(0);
  });

  it("by a customer or for a subscription: oldest first, after credit, with what is due or being paid", async () => {
    const world = await served();
    const { deps, shop } = world;
    const { businessid, customerid } = shop;
    const billed = subscriptionBilled(shop);
    const first = await issue(world, billed);
    const second = await issue(world);
    const paid = await issue(world);
    await onPayment(deps)([paymentCompleted(businessid, paid._id, 1_200, new Date())]);
    const byCustomer = () =>
      ask(deps.service, calls.describeOwedByCustomer, { businessid, body: { customerid } });
    expect(await byCustomer()).toMatchObject({
      ok: true,
      value: { overdue: false, beingpaid: false },
    });

    const buckets = Array.from({ length: 64 }, (_, bucket) => bucket);
    const until = new Date(Date.now() + hourMs).toISOString();
    await ask(deps.service, calls.processOverdueInvoices, { body: { buckets, limit: 10, until } });
    await onPayment(deps)([initiated(shop, second._id, 500)]);
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
      await ask(deps.service, calls.describeOwedBySubscription, { businessid, body }),
    ).toMatchObject({
      ok: true,
      value: { owed: 800, invoices: [{ invoiceid: first._id, issuedfor: billed.data.key }] },
    });
    const nobody = { businessid: newId(), body: { customerid } };
    expect(await ask(deps.service, calls.describeOwedByCustomer, nobody)).toMatchObject({
      ok: true,
      value: { owed: 0, invoices: [] },
    });
  });
});

describe("a customer who owes for more than a hundred invoices", () => {
  it("is told of the oldest hundred, and that there are more", async () => {
    const { deps, shop } = await served();
    const { businessid, customerid } = shop;
    const events = Array.from({ length: 101 }, () => subscriptionBilled(shop));
    await onSubscriptionBilled(deps)(events);
    const body = { customerid };
    const answer = await ask(deps.service, calls.describeOwedByCustomer, { businessid, body });
    expect(answer).toMatchObject({ ok: true, value: { owed: 100_000, more: true } });
    expect(answer.ok && answer.value.invoices).toHaveLength(100);
  });
});

describe("a comparison", () => {
  it("is told of each bill's invoice, and of each payment whether it has arrived", async () => {
    const { deps, shop } = await served();
    const { businessid } = shop;
    const [billed, unbilled] = [subscriptionBilled(shop), subscriptionBilled(shop)];
    const { _id } = await issue({ deps, shop }, billed);
    const bills = [unbilled, billed].map(({ data }) => ({ businessid, ...data.key }));
    expect(await ask(deps.service, calls.findIssuedInvoices, { body: { bills } })).toMatchObject({
      ok: true,
      value: { invoices: [null, { _id, status: "unpaid", duedate: billed.data.duedate, seq: 1 }] },
    });
    const cause = { now: new Date() };
    for (const status of ["overdue", "unpaid"] as const) {
      await deps.invoices.amend(businessid, _id, cause, (invoice) => {
        const changed = changeInvoice(invoice, { status }, cause.now);
        return changed.ok ? changed.value : null;
      });
    }
    const excused = { invoices: [null, { _id, status: "unpaid", excused: true }] };
    expect(await ask(deps.service, calls.findIssuedInvoices, { body: { bills } })).toMatchObject({
      value: excused,
    });
    const body = { subscriptionid: billed.data.key.subscriptionid };
    expect(
      await ask(deps.service, calls.describeOwedBySubscription, { businessid, body }),
    ).toMatchObject({
      value: { invoices: [{ invoiceid: _id, excused: true }] },
    });
    // The second finds nothing left to pay, and is credit as a whole.
    const came = [newId(), newId()];
    for (const id of came) {
      await onPayment(deps)([paymentCompleted(businessid, _id, 1_000, new Date(), id)]);
    }
    const payments = [newId(), ...came].map((transactionid) => {
      return { businessid, invoiceid: _id, transactionid };
    });
    expect(
      await ask(deps.service, calls.findAppliedPayments, { body: { payments } }),
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
    const { deps, shop } = await served();
    const other = await stock(deps);
    const { businessid } = shop;
    const describe = async (body: object) =>
      ask(deps.service, calls.describeOrder, { businessid, body: { ...orderOf(shop), ...body } });
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
    const { deps, shop } = await served();
    const other = await stock(deps);
    const { businessid } = shop;
    const others = [{ businessid: other.businessid, ...orderOf(other) }];
    const body = { ...orderOf(shop), others };
    expect(await ask(deps.service, calls.describeOrder, { businessid, body })).toEqual({
      ok: true,
      value: describedOrder(shop),
    });
  });
});

describe("another business", () => {
  it("gets nothing of it by any call, and changes nothing", async () => {
    const { deps, shop } = await served();
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
      // These name the business of each that they ask for.
      "find-issued": {
        body: { bills: [{ businessid: newId(), ...billed.data.key }] },
        answer: { ok: true, value: { invoices: [null] } },
      },
      "find-payments": {
        body: { payments: [{ businessid: newId(), invoiceid, transactionid: paid }] },
        answer: { ok: true, value: { known: [false] } },
      },
    };
    // What is due is worked off for all businesses, and health is nobody's.
    const ofNoBusiness = new Set([
      calls.processOverdueInvoices.verb,
      calls.reportInvoiceHealth.verb,
    ]);
    const ours = allCalls.filter(
      ({ service, verb }) => service === "invoice" && !ofNoBusiness.has(verb),
    );
    await deps.service.relay.flush();
    const before = await deps.invoices.find(shop.businessid, invoiceid);
    for (const one of ours) {
      const { verb } = one;
      const { body, answer } = expected[verb] ?? {};
      const got = await ask(deps.service, one, { businessid: newId(), body });
      expect({ verb, got }).toMatchObject({ verb, got: answer });
    }
    expect(await deps.invoices.find(shop.businessid, invoiceid)).toEqual(before);
  });
});
