import { addMs, cents, dayMs, minuteMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import {
  crashAtEachWrite,
  inOwnNamespace,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { eventHandlers } from "../src/handlers/index.ts";
import { processOverdueBatch } from "../src/jobs/process-overdue.ts";
import { subscriptionBilled } from "./billing-event.ts";
import { paymentCompleted } from "./payment-event.ts";
import { listInvoices, openInvoiceService, type Stock, stock } from "./test-service.ts";

const servers = useSharedServers();
const now = new Date("2026-11-02T08:00:00Z");
const before = { side: "before" } as const;
let proxy: StoreProxy;

beforeAll(async () => {
  proxy = await startStoreProxy(servers.mongodbUri);
});
afterEach(() => {
  proxy.forget();
  proxy.revive();
});
afterAll(() => proxy.close());

/** Two workers: a test interrupts the writes of `own`, and lets those of `other` win. */
async function openBoth(at = now) {
  const apart = inOwnNamespace(servers);
  const own = await openInvoiceService({ ...apart, mongodbUri: proxy.mongodbUri }, () => at);
  const other = await openInvoiceService(apart, () => at);
  return { own, other, shop: await stock(other) };
}

/** Issues invoices of 1,000 shillings to the customer. */
async function issue(deps: Deps, shop: Stock, count = 1): Promise<readonly string[]> {
  const events = Array.from({ length: count }, () => subscriptionBilled(shop));
  expect(await eventHandlers["subscription.billed"](deps)(events)).toEqual([]);
  const found = await Promise.all(
    events.map(({ data }) => deps.invoices.findIssued(shop.businessid, data.key)),
  );
  return found.flatMap((invoice) => invoice?.id ?? []);
}

const pay = (deps: Deps, { businessid }: Stock, invoiceid: string, amount: number, id = newId()) =>
  eventHandlers["payment.*"](deps)([paymentCompleted(businessid, invoiceid, amount, now, id)]);

function overdueStep(deps: Deps, at: Date) {
  const buckets = Array.from({ length: 64 }, (_, bucket) => bucket);
  const step = { buckets, limit: 100, until: addMs(at, minuteMs).toISOString() };
  return processOverdueBatch(deps, step, { now: at });
}

/** Paid on the customer's invoices and left as credit, in cents. */
async function moneyOf(deps: Deps, shop: Stock) {
  const invoices = await listInvoices(deps, shop.businessid);
  const applied = invoices.flatMap(({ payments }) => payments.map((each) => each.applied));
  return {
    applied: applied.reduce((sum, each) => sum + each, 0),
    credit: await deps.credits.sumUnspent(shop),
    statuses: invoices.map(({ status }) => status).toSorted(),
  };
}

describe("an invoice that another worker changes between the read and the write", () => {
  it("holds both of two payments that arrive at once", async () => {
    const { own, other, shop } = await openBoth();
    const [id = ""] = await issue(other, shop);
    const won = proxy.interrupt(before, () => pay(other, shop, id, 400));
    await pay(own, shop, id, 600);
    await won;
    const paid = { applied: 100_000, credit: 0, statuses: ["paid"] };
    expect(await moneyOf(other, shop)).toEqual(paid);
  });

  it("holds a payment once when two workers receive it, and its surplus is one credit", async () => {
    const { own, other, shop } = await openBoth();
    const [id = ""] = await issue(other, shop);
    const transactionid = newId();
    for (const collection of ["invoices", "credits"]) {
      void proxy.interrupt({ ...before, pattern: { collection } }, () =>
        pay(other, shop, id, 1_500, transactionid),
      );
    }
    await pay(own, shop, id, 1_500, transactionid);
    const paid = { applied: 100_000, credit: 50_000, statuses: ["paid"] };
    expect(await moneyOf(other, shop)).toEqual(paid);
  });

  it("is not overdue when it is paid while its due date is applied", async () => {
    const { own, other, shop } = await openBoth(addMs(now, 30 * dayMs));
    const [id = ""] = await issue(other, shop);
    const won = proxy.interrupt(before, () => pay(other, shop, id, 1_000));
    expect(await overdueStep(own, addMs(now, 30 * dayMs))).toMatchObject({ found: 1, done: 0 });
    await won;
    expect(await moneyOf(other, shop)).toMatchObject({ statuses: ["paid"] });
  });

  it("turns overdue once when two workers apply its due date", async () => {
    const at = addMs(now, 30 * dayMs);
    const { own, other, shop } = await openBoth(at);
    await issue(other, shop);
    const won = proxy.interrupt(before, () => overdueStep(other, at));
    expect(await overdueStep(own, at)).toMatchObject({ found: 1, done: 0, skipped: 1 });
    await won;
    const [document] = await other.invoices.collection.find().toArray();
    const types = document?.events.map(({ type }) => type);
    expect(types?.filter((type) => type === "invoice.overdue")).toHaveLength(1);
  });

  it("is not postponed when another worker has applied its due date", async () => {
    const at = addMs(now, 30 * dayMs);
    const { own, other, shop } = await openBoth(at);
    const [id = ""] = await issue(other, shop);
    const [due] = await own.invoices.listDue(
      Array.from({ length: 64 }, (_, bucket) => bucket),
      at,
      1,
    );
    if (!due) throw new Error("it is due");
    const won = proxy.interrupt(before, () => overdueStep(other, at));
    const failure = { tries: 1, reason: "failed", at, parkedat: null };
    await own.invoices.postponeDue(due, failure, addMs(at, dayMs));
    await won;
    expect((await other.invoices.find(shop.businessid, id))?.status).toBe("overdue");
    expect(await other.invoices.listDue([], addMs(at, dayMs), 1)).toEqual([]);
    expect(await other.invoices.collection.countDocuments({ dueat: { $type: "date" } })).toBe(0);
  });

  it("is issued once for a key that two workers issue at once, beside the other keys", async () => {
    const { own, other, shop } = await openBoth();
    const events = Array.from({ length: 3 }, () => subscriptionBilled(shop));
    const pattern = { collection: "invoices" };
    const handle = (deps: Deps, some: typeof events) =>
      eventHandlers["subscription.billed"](deps)(some);
    const won = proxy.interrupt({ ...before, pattern }, () => handle(other, events.slice(1)));
    expect(await handle(own, events)).toEqual([]);
    await won;
    const issued = await listInvoices(other, shop.businessid);
    expect(new Set(issued.map(({ issuedfor }) => issuedfor?.subscriptionid))).toEqual(
      new Set(events.map(({ data }) => data.key.subscriptionid)),
    );
    expect(issued).toHaveLength(3);
    expect(new Set(issued.map(({ invoiceno }) => invoiceno)).size).toBe(3);
  });
});

describe("a credit that two workers write at once", () => {
  it("is granted once, with the larger total", async () => {
    const { own, other, shop } = await openBoth();
    for (const [first, second] of [
      [100, 250],
      [250, 100],
    ] as const) {
      const holder = { ...shop, customerid: newId(), invoiceid: newId() };
      const creditid = newId();
      const grant = (deps: Deps, amount: number) =>
        deps.credits.grant(holder, { creditid, granted: cents(amount) }, { now });
      const pattern = { collection: "credits", command: "insert" } as const;
      const won = proxy.interrupt({ ...before, pattern }, () => grant(other, second));
      await grant(own, first);
      await won;
      expect(await other.credits.sumUnspent(holder)).toBe(250);
    }
  });

  it("is not spent beyond its amount", async () => {
    const { own, other, shop } = await openBoth();
    const creditid = newId();
    const grant = { creditid, granted: cents(100) };
    await other.credits.grant({ ...shop, invoiceid: newId() }, grant, { now });
    const spend = (deps: Deps) => {
      const use = { invoiceid: newId(), nth: 1, amount: cents(70) };
      return deps.credits.spend(shop.businessid, creditid, use, { now });
    };
    const won = proxy.interrupt(before, () => spend(other));
    const spent = await spend(own);
    await won;
    const uses = spent?.uses.map(({ amount }) => amount) ?? [];
    expect(uses.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(100);
    expect(await other.credits.sumUnspent(shop)).toBeLessThanOrEqual(30);
  });
});

describe("a worker that dies at any of its writes", () => {
  it("keeps every cent of a payment whose surplus pays two other invoices", async () => {
    const { own, other } = await openBoth();
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => {
        const shop = await stock(other);
        const [id = ""] = await issue(other, shop, 3);
        return { shop, id, transactionid: newId() };
      },
      run: async ({ shop, id, transactionid }) => pay(own, shop, id, 2_500, transactionid),
      runAgain: async ({ shop, id, transactionid }) => {
        await pay(other, shop, id, 2_500, transactionid);
        await deliverCredit(other, shop);
      },
      check: async ({ shop }) =>
        expect(await moneyOf(other, shop)).toEqual({
          applied: 250_000,
          credit: 0,
          statuses: ["paid", "paid", "partially_paid"],
        }),
    });
    expect(new Set(points.map(({ write }) => write.collection))).toEqual(
      new Set(["invoices", "credits"]),
    );
    expect(points.length).toBeGreaterThanOrEqual(12);
  });

  it("issues each invoice of a batch once, with a code that leads to it", async () => {
    const { own, other } = await openBoth();
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => {
        const shop = await stock(other);
        return { shop, events: [subscriptionBilled(shop), subscriptionBilled(shop)] };
      },
      run: async ({ events }) => eventHandlers["subscription.billed"](own)(events),
      runAgain: async ({ events }) => eventHandlers["subscription.billed"](other)(events),
      check: async ({ shop, events }) => {
        const issued = await listInvoices(other, shop.businessid);
        expect(issued).toHaveLength(events.length);
        expect(new Set(issued.map(({ invoiceno }) => invoiceno)).size).toBe(events.length);
        const links = await Promise.all(
          issued.map(({ paylink }) => other.codes.find(paylink.code)),
        );
        expect(links.map((link) => link?.recordid)).toEqual(issued.map(({ id }) => id));
      },
    });
    expect(points.length).toBeGreaterThanOrEqual(6);
  });
});

/** Delivers the stored events of the business's invoices and credits, as the stream would. */
async function deliverCredit(deps: Deps, { businessid }: Stock): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const { collection } of [deps.invoices, deps.credits]) {
      const documents = await collection.find().toArray();
      for (const document of documents) {
        if (String(document.businessid) !== businessid) continue;
        for (const event of document.events) {
          if (!event.type.startsWith("credit.")) continue;
          const ids = { businessid, recordid: String(document._id), at: event.at.toISOString() };
          const envelope = { ...event, ...ids, inside: event.inside };
          await eventHandlers["credit.*"](deps)([envelope as never]);
        }
      }
    }
  }
}
