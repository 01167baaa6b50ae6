import { calls } from "@malipo/contracts";
import { cents, hourMs } from "@malipo/core";
import { ask, newId, serveRoutes } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { handle as onPayment } from "../src/handlers/on-payment.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import { openInvoiceService, type Stock, stock } from "./test-service.ts";

const servers = useSharedServers();

async function served(): Promise<{ deps: Deps; shop: Stock }> {
  const deps = await openInvoiceService(servers);
  await serveRoutes(deps.service, new URL("../src/handlers/", import.meta.url), deps);
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

    expect(await cancel(open._id, newId())).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("describing what may be paid", () => {
  it("goes by the code of the link, or by the id within the business", async () => {
    const world = await served();
    const { deps, shop } = world;
    const invoice = await issue(world);
    const { businessid } = shop;
    const describe = (body: { code: string } | { invoiceid: string }, of?: string) =>
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
        partpayment: false,
        payable: true,
        reason: null,
        subscriptionid: expect.any(String),
        duedate: "2026-11-08T08:00:00.000Z",
      },
    });
    expect(await describe({ invoiceid: invoice._id }, businessid)).toEqual(byCode);
    const missing = { ok: false, error: { code: "not_found" } };
    expect(await describe({ invoiceid: invoice._id }, newId())).toMatchObject(missing);
    expect(await describe({ invoiceid: invoice._id })).toMatchObject(missing);
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
      ask(deps.service, calls.owedByCustomer, { businessid, body: { customerid } });
    expect(await byCustomer()).toMatchObject({
      ok: true,
      value: { overdue: false, beingpaid: false },
    });

    const buckets = Array.from({ length: 64 }, (_, bucket) => bucket);
    const until = new Date(Date.now() + hourMs).toISOString();
    await ask(deps.service, calls.workOffOverdue, { body: { buckets, limit: 10, until } });
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
    expect(await ask(deps.service, calls.owedBySubscription, { businessid, body })).toMatchObject({
      ok: true,
      value: { owed: 800, invoices: [{ invoiceid: first._id, issuedfor: billed.data.key }] },
    });
    const nobody = { businessid: newId(), body: { customerid } };
    expect(await ask(deps.service, calls.owedByCustomer, nobody)).toMatchObject({
      ok: true,
      value: { owed: 0, invoices: [] },
    });
  });
});
