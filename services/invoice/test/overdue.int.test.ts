import { bucketCount, cents, ok } from "@malipo/core";
import { listParked, retryParked } from "@malipo/platform";
import { useSharedServers } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { onSubscriptionBilled } from "../src/handlers/events/on-subscription-billed.ts";
import { payInvoice } from "../src/domain/invoice/pay-invoice.ts";
import { processOverdueBatch } from "../src/jobs/process-overdue.ts";
import { creditIdOf } from "../src/store/credits.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { openInvoiceService, stock } from "./test-service.ts";

const servers = useSharedServers();
const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);
const due = new Date("2026-11-08T08:00:00Z");

async function issue(deps: Deps, count: number): Promise<string> {
  const shop = await stock(deps);
  for (let left = count; left > 0; left -= 100) {
    const events = Array.from({ length: Math.min(100, left) }, () => subscriptionBilled(shop));
    await onSubscriptionBilled(deps)(events);
  }
  return shop.businessid;
}

function processDue(deps: Deps, now: Date, more: object = {}) {
  const until = "2100-01-01T00:00:00.000Z";
  return processOverdueBatch(deps, { buckets, limit: 1_000, until, ...more }, { now });
}

async function overdueEvents({ invoices }: Deps, businessid: string) {
  const documents = await invoices.collection
    .find({ businessid: new ObjectId(businessid) })
    .toArray();
  return documents.map(
    ({ events }) => events.filter(({ type }) => type === "invoice.overdue").length,
  );
}

describe("processing overdue invoices", () => {
  it("turns each invoice overdue once, with several workers and in bounded batches", async () => {
    const deps = await openInvoiceService(servers);
    const other = await openInvoiceService(servers);
    const businessid = await issue(deps, 250);
    expect(await processDue(deps, new Date(due.getTime() - 1))).toMatchObject({
      found: 0,
      more: false,
    });
    let done = 0;
    for (let more = true; more;) {
      const outcomes = await Promise.all([
        processDue(deps, due, { limit: 100 }),
        processDue(other, due, { limit: 100 }),
        processDue(other, due, { limit: 100, buckets: buckets.slice(0, 32) }),
      ]);
      for (const outcome of outcomes) {
        expect(outcome.done + outcome.skipped).toBe(outcome.found);
        expect(outcome.found).toBeLessThanOrEqual(100);
        done += outcome.done;
      }
      more = outcomes.some((outcome) => outcome.more);
    }
    expect(done).toBe(250);
    expect(await overdueEvents(deps, businessid)).toEqual(Array.from({ length: 250 }, () => 1));
    expect(await processDue(deps, due)).toMatchObject({ found: 0 });
  });

  it("applies credit whose event was lost before it turns the invoice overdue", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    await onSubscriptionBilled(deps)([subscriptionBilled(shop)]);
    const [invoice] = await deps.invoices.listOwed(shop.businessid, shop, 1);
    const grant = { creditid: new ObjectId().toHexString(), granted: invoice?.owed ?? cents(0) };
    await deps.credits.grant({ ...shop, invoiceid: invoice?.id ?? "" }, grant, { now: due });
    await processDue(deps, due);
    const paid = await deps.invoices.find(shop.businessid, invoice?.id ?? "");
    expect(paid).toMatchObject({ status: "paid", owed: null });
    expect(await overdueEvents(deps, shop.businessid)).toEqual([0]);
  });

  it("stops at its time limit and reports that more is due", async () => {
    const now = Date.parse("2026-11-09T08:00:00Z");
    let ticks = 0;
    const deps = await openInvoiceService(servers, () => new Date(now + 1_000 * (ticks += 1)));
    await issue(deps, 200);
    const from = ticks;
    const until = new Date(now + 1_000 * (from + 2.5)).toISOString();
    const outcome = await processDue(deps, due, { until });
    expect(outcome).toMatchObject({ found: 200, more: true });
    expect(outcome.done).toBeLessThan(200);
    expect(outcome.done).toBeGreaterThan(0);
    await processDue(deps, due);
  });

  it("retries a failing invoice with growing delays, parks it after 10 tries, and processes the others", async () => {
    const deps = await openInvoiceService(servers);
    const businessid = await issue(deps, 3);
    const { collection } = deps.invoices;
    const [broken] = await collection.find({ businessid: new ObjectId(businessid) }).toArray();
    await collection.updateOne({ _id: broken?._id ?? "" }, { $set: { balance: "much" } });
    expect(await processDue(deps, due)).toEqual({
      found: 3,
      done: 2,
      failed: 1,
      skipped: 0,
      more: false,
      oldest: due.toISOString(),
    });
    const readBroken = async () => collection.findOne({ _id: broken?._id ?? "" });
    let delay = 0;
    for (let tries = 1; tries < 10; tries += 1) {
      const put = await readBroken();
      expect(put).toMatchObject({ status: "unpaid", duefailed: { tries } });
      const next = put?.["dueat"] as Date;
      const at = put?.["duefailed"].at as Date;
      expect(next.getTime() - at.getTime()).toBeGreaterThanOrEqual(delay);
      delay = next.getTime() - at.getTime();
      expect(await processDue(deps, new Date(next.getTime() - 1))).toMatchObject({ found: 0 });
      expect(await processDue(deps, next)).toMatchObject({ found: 1, failed: 1 });
    }
    expect(await readBroken()).toMatchObject({
      dueat: null,
      duefailed: { tries: 10, reason: expect.stringContaining("cents") },
    });
    const listed = await listParked("invoice", deps.parked);
    expect(listed.filter((one) => one.businessid === businessid)).toMatchObject([
      { service: "invoice", _id: String(broken?._id), tries: 10, reason: expect.any(String) },
    ]);

    const id = String(broken?._id);
    expect(await retryParked(deps.parked, id, due)).toBe(1);
    expect(await retryParked(deps.parked, id, due)).toBe(0);
    expect(await processDue(deps, due)).toMatchObject({ found: 1, failed: 1 });
    expect(await readBroken()).toMatchObject({ dueat: expect.any(Date), duefailed: { tries: 1 } });
    await collection.updateOne({ _id: broken?._id ?? "" }, { $set: { balance: 100_000 } });
    const next = (await readBroken())?.["dueat"] as Date;
    expect(await processDue(deps, next)).toMatchObject({ found: 1, done: 1 });
    expect(await readBroken()).toMatchObject({ status: "overdue", dueat: null, duefailed: null });
  });

  it("unparks an invoice when it is changed", async () => {
    const deps = await openInvoiceService(servers);
    const businessid = await issue(deps, 1);
    const { collection } = deps.invoices;
    const [made] = await collection.find({ businessid: new ObjectId(businessid) }).toArray();
    const id = String(made?._id);
    const duefailed = { tries: 10, reason: "broken", at: due, parkedat: due };
    await collection.updateOne({ _id: made?._id ?? "" }, { $set: { dueat: null, duefailed } });
    const isListed = async () =>
      (await listParked("invoice", deps.parked)).some(({ _id }) => _id === id);
    expect(await isListed()).toBe(true);
    const payment = { key: "a".repeat(24), amount: cents(100), at: due };
    await deps.invoices.update(businessid, id, { now: due }, (invoice) =>
      ok(payInvoice(invoice, payment, { now: due, creditIdOf })),
    );
    expect(await isListed()).toBe(false);
    expect(await processDue(deps, due)).toMatchObject({ found: 1, done: 1 });
  });

  it("processes due dates of any century", async () => {
    const deps = await openInvoiceService(servers);
    const shop = await stock(deps);
    const { data } = subscriptionBilled(shop);
    const duedates = ["0000-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z"];
    const events = duedates.map((duedate) => {
      const event = subscriptionBilled(shop);
      return { ...event, data: { ...data, key: event.data.key, duedate } };
    });
    expect(await onSubscriptionBilled(deps)(events)).toEqual([]);
    expect(await processDue(deps, due)).toMatchObject({ found: 2, done: 2 });
  });
});
