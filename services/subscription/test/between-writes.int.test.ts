import { addMs, dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import { newId, type Service, VersionConflict } from "@malipo/platform";
import {
  crashAtEachWrite,
  createStreams,
  settableClock,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import type { Subscription } from "../src/domain/lifecycle/subscription.ts";
import { eventHandlers, handlers } from "../src/handlers/index.ts";
import { type Neighbours, promptTransaction, serveNeighbours } from "./neighbours.ts";
import {
  addSubscription,
  businessEvent,
  connectAs,
  invoiceEvent,
  openSubscriptionService,
  paymentEvent,
  requestFor,
} from "./test-service.ts";

const servers = useSharedServers();
const start = new Date("2026-11-02T08:00:00Z");
const clock = settableClock(start);
const businessid = newId();
/** Two workers: a test interrupts the writes of `own`, and lets those of `other` win. */
let own: Deps;
let other: Deps;
let neighbours: Neighbours;
let proxy: StoreProxy;
const services: Service[] = [];

beforeAll(async () => {
  await createStreams(servers);
  proxy = await startStoreProxy(servers.mongodbUri);
  own = await openSubscriptionService({ ...servers, mongodbUri: proxy.mongodbUri }, clock.now);
  other = await openSubscriptionService(servers, clock.now);
  const invoice = await connectAs("invoice", servers, clock.now);
  const payment = await connectAs("payment", servers, clock.now);
  services.push(own.service, other.service, invoice, payment);
  neighbours = await serveNeighbours(invoice, payment);
  await own.businesses.apply([businessEvent(businessid, "business.created", 1, start)]);
});
afterAll(async () => {
  await Promise.all(services.map(async (service) => service.shutdown.begin("the tests are over")));
  await proxy.close();
});
beforeEach(() => clock.set(start));
afterEach(async () => {
  proxy.forget();
  proxy.revive();
  neighbours.duringPrompt = async () => undefined;
  neighbours.prompts.splice(0);
  // The next test's due job must not find the subscriptions of this one.
  await own.subscriptions.collection.deleteMany({});
});

const before = { side: "before", pattern: { collection: "subscriptions" } } as const;

async function current({ id }: Pick<Subscription, "id">): Promise<Subscription> {
  const found = await other.subscriptions.find(businessid, id);
  if (!found) throw new Error("the subscription is there");
  return found.entity;
}

/** The stored events of a subscription: none of these tests has more than are kept. */
async function eventsOf({ id }: Pick<Subscription, "id">, type?: string) {
  const document = await other.subscriptions.collection.findOne({ _id: new ObjectId(id) });
  const events = document?.events ?? [];
  return events.filter((event) => type === undefined || event.type === `subscription.${type}`);
}

async function processDue(deps: Deps) {
  const now = clock.now();
  const buckets = Array.from({ length: 64 }, (_, bucket) => bucket);
  const body = { buckets, limit: 100, until: addMs(now, minuteMs).toISOString() };
  const request = { ...requestFor({ id: "", businessid }, now), body, params: undefined as never };
  const answer = await handlers.processDueSubscriptions(deps)(request);
  if (!answer.ok) throw new Error(answer.error.text);
  return answer.value.data;
}

const commands = {
  pause: handlers.pauseSubscription,
  resume: handlers.resumeSubscription,
  cancel: handlers.cancelSubscription,
} as const;

/** A command as `serveRoutes` runs it: decided again after a conflict. */
async function command(
  deps: Deps,
  name: keyof typeof commands,
  to: Subscription,
  operation?: string,
) {
  const request = requestFor(to, clock.now(), operation);
  for (;;) {
    try {
      return await commands[name](deps)(request as never);
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
    }
  }
}

/** Issues what is billed and not issued yet, with this status, and sends the events of all invoices. */
async function issueBilled(deps: Deps, { id }: Subscription, status: "unpaid" | "paid" = "unpaid") {
  const found = await current({ id });
  const events = found.invoices.map((invoice) => {
    const issued = neighbours.issue({ subscriptionid: id, ...invoice }, invoice.duedate, status);
    const seq = invoice.seq + 1;
    const state = { invoiceid: issued.id, status: issued.status, seq, at: clock.now() };
    return invoiceEvent(found, invoice, state);
  });
  await eventHandlers["invoice.*"](deps)(events);
}

/** A subscription whose first invoice is issued, and is due to be prompted. */
async function prompted(): Promise<Subscription> {
  const subscription = await addSubscription(other, businessid);
  await issueBilled(other, subscription);
  return subscription;
}

describe("a change that another worker makes between the read and the write", () => {
  it("pauses a subscription before its next period is billed", async () => {
    const subscription = await addSubscription(other, businessid);
    await issueBilled(other, subscription, "paid");
    clock.advance(8 * dayMs);
    // The pause was decided before the period ended, and was saved late.
    const early = requestFor(subscription, addMs(start, 7 * dayMs - secondMs));
    const won = proxy.interrupt(before, () => commands.pause(other)(early));
    expect(await processDue(own)).toMatchObject({ found: 1, done: 0, skipped: 1 });
    await won;
    expect(await current(subscription)).toMatchObject({ status: "paused", dueat: null });
    expect(await eventsOf(subscription, "billed")).toHaveLength(1);
  });

  it("bills a period once when two workers process it", async () => {
    const subscription = await addSubscription(other, businessid);
    await issueBilled(other, subscription, "paid");
    clock.advance(8 * dayMs);
    const won = proxy.interrupt(before, () => processDue(other));
    expect(await processDue(own)).toMatchObject({ found: 1, done: 0, skipped: 1 });
    await won;
    expect(await eventsOf(subscription, "billed")).toHaveLength(2);
    expect((await current(subscription)).invoices).toHaveLength(2);
  });

  it("does not drop the invoice updates of a batch", async () => {
    const [first, second] = [await prompted(), await prompted()];
    const pay = async (deps: Deps) => {
      const events = [];
      for (const { id } of [first, second]) {
        const found = await current({ id });
        const [invoice] = found.invoices;
        if (!invoice) throw new Error("its first period is billed");
        const paid = { invoiceid: invoice.invoiceid ?? "", status: "paid", seq: 2 } as const;
        events.push(invoiceEvent(found, invoice, { ...paid, at: clock.now() }));
      }
      expect(await eventHandlers["invoice.*"](deps)(events)).toEqual([]);
    };
    const once = proxy.interrupt(before, () => command(other, "pause", first));
    const again = proxy.interrupt({ ...before, nth: 2 }, () => command(other, "resume", first));
    await pay(own);
    await Promise.all([once, again]);
    for (const subscription of [first, second]) {
      const { status, invoices } = await current(subscription);
      expect({ status, invoices }).toMatchObject({
        status: "active",
        invoices: [{ state: "closed" }],
      });
    }
    expect(await eventsOf(first, "paused")).toHaveLength(1);
  });

  it("does not drop the outcome of a prompt", async () => {
    const subscription = await prompted();
    await processDue(other);
    const [invoice] = (await current(subscription)).invoices;
    const once = proxy.interrupt(before, () => command(other, "pause", subscription));
    const again = proxy.interrupt({ ...before, nth: 2 }, () =>
      command(other, "resume", subscription),
    );
    const outcome = { invoiceid: invoice?.invoiceid ?? "", transactionid: promptTransaction };
    const failed = { ...outcome, status: "failed", reason: "insufficient_funds" } as const;
    await eventHandlers["payment.*"](own)([
      paymentEvent(subscription, { ...failed, at: clock.now() }),
    ]);
    await Promise.all([once, again]);
    expect((await current(subscription)).invoices[0]?.prompting).toMatchObject({
      claimed: null,
      reason: "insufficient_funds",
      nextat: addMs(clock.now(), 2 * dayMs),
    });
  });

  it("lets one of two workers claim and request a prompt", async () => {
    const subscription = await prompted();
    const won = proxy.interrupt(before, () => processDue(other));
    expect(await processDue(own)).toMatchObject({ found: 1, skipped: 1 });
    await won;
    const { invoices, promptCount } = await current(subscription);
    expect(promptCount).toBe(1);
    expect(neighbours.prompts).toEqual([`${invoices[0]?.invoiceid}:1`]);
  });

  it.each(["completed", "failed"] as const)(
    "keeps the outcome %s of a prompt that arrives before payment's answer",
    async (status) => {
      const subscription = await prompted();
      const [invoice] = (await current(subscription)).invoices;
      const arrive = () => {
        const ids = { invoiceid: invoice?.invoiceid ?? "", transactionid: promptTransaction };
        const event = paymentEvent(subscription, { ...ids, status, at: clock.now() });
        return eventHandlers["payment.*"](other)([event]);
      };
      const won = proxy.interrupt({ ...before, nth: 2 }, arrive);
      await processDue(own);
      await won;
      const { prompting } = (await current(subscription)).invoices[0] ?? {};
      expect(prompting).toMatchObject({ attempt: 1, claimed: null });
      expect(prompting?.nextat?.getTime()).toBeLessThanOrEqual(addMs(clock.now(), dayMs).getTime());
    },
  );

  it("is not overwritten by a later date of work that is not possible yet", async () => {
    const subscription = await addSubscription(other, businessid);
    await issueBilled(other, subscription, "paid");
    // The business is unknown, so its subscription is postponed.
    const unknown = newId();
    const _id = new ObjectId(subscription.id);
    await own.subscriptions.collection.updateOne(
      { _id },
      { $set: { businessid: new ObjectId(unknown) } },
    );
    clock.advance(8 * dayMs);
    const end = () =>
      own.subscriptions.collection.updateOne(
        { _id },
        { $set: { dueat: null }, $inc: { version: 1 } },
      );
    const won = proxy.interrupt(before, end);
    expect(await processDue(own)).toMatchObject({ found: 1, skipped: 1 });
    await won;
    expect((await other.subscriptions.find(unknown, subscription.id))?.entity.dueat).toBeNull();
  });

  it("releases a subscription whose business is resumed while it is held back", async () => {
    const suspended = newId();
    const send = async (type: "business.suspended" | "business.resumed", seq: number) =>
      eventHandlers["business.*"](other)([businessEvent(suspended, type, seq, clock.now())]);
    await send("business.suspended", 1);
    const subscription = await addSubscription(other, suspended);
    clock.advance(8 * dayMs);
    const won = proxy.interrupt(before, () => send("business.resumed", 2));
    expect(await processDue(own)).toMatchObject({ found: 1, skipped: 1 });
    await won;
    const released = await other.subscriptions.find(suspended, subscription.id);
    expect(released?.entity).toMatchObject({ heldBackSince: null, dueat: clock.now() });
  });

  it("does not keep a resumed business's subscription from being released", async () => {
    const suspended = newId();
    const events = eventHandlers["business.*"];
    await events(other)([businessEvent(suspended, "business.suspended", 1, clock.now())]);
    const subscription = await addSubscription(other, suspended);
    clock.advance(8 * dayMs);
    await processDue(other);
    const held = await other.subscriptions.find(suspended, subscription.id);
    if (!held) throw new Error("the subscription is there");
    const won = proxy.interrupt(before, () =>
      other.subscriptions.saveSchedule(held, { ...held.entity, remark: "changed" }, clock.now()),
    );
    await events(own)([businessEvent(suspended, "business.resumed", 2, clock.now())]);
    await won;
    const released = await other.subscriptions.find(suspended, subscription.id);
    expect(released?.entity).toMatchObject({ heldBackSince: null, remark: "changed" });
    // Two writes, two versions: a third writer that has read the first one must notice the second.
    expect(released?.version).toBe(held.version + 2);
    expect(released?.entity.dueat?.getTime()).toBeLessThanOrEqual(clock.now().getTime());
  });

  it("answers two requests for a manual invoice with the same one", async () => {
    const subscription = await addSubscription(other, businessid);
    const generate = async (deps: Deps) =>
      handlers.generateInvoice(deps)(requestFor(subscription, clock.now()));
    const won = proxy.interrupt(before, () => generate(other));
    await expect(generate(own)).rejects.toThrow(VersionConflict);
    await won;
    const again = await generate(own);
    const manual = neighbours.invoices.filter(
      ({ key }) => key.subscriptionid === subscription.id && key.why === "manual",
    );
    expect(manual).toHaveLength(1);
    expect(again).toMatchObject({ ok: true, value: { data: { invoice: { _id: manual[0]?.id } } } });
  });

  it("does not let an older event replace a newer copy of a customer", async () => {
    const customerid = newId();
    const at = start.toISOString();
    const apply = async (deps: Deps, seq: number) => {
      const dates = { createdat: at, updatedat: at };
      const data = { _id: customerid, name: `name ${seq}`, phone: null, email: null, ...dates };
      const ids = { id: `evt_${newId()}`, seq, businessid, recordid: customerid, at };
      const event = { ...ids, type: "customer.updated", data, inside: undefined };
      await eventHandlers["customer.*"](deps)([event as never]);
    };
    for (const [seq, meanwhile, newest] of [
      [1, 2, 2],
      [4, 3, 4],
      [5, 6, 6],
    ] as const) {
      const pattern = { collection: "customers" };
      const won = proxy.interrupt({ side: "before", pattern }, () => apply(other, meanwhile));
      await apply(own, seq);
      await won;
      const kept = await other.customers.get(businessid, customerid);
      expect(kept).toMatchObject({ ok: true, value: { name: `name ${newest}` } });
    }
  });
});

describe("the outcome of a payment", () => {
  it.each(["completed", "failed"] as const)(
    "of another invoice (%s) does not end a prompt that payment has not answered",
    async (status) => {
      const subscription = await prompted();
      neighbours.duringPrompt = async () => {
        const ids = { invoiceid: newId(), transactionid: newId() };
        const event = paymentEvent(subscription, { ...ids, status, at: clock.now() });
        await eventHandlers["payment.*"](other)([event]);
      };
      await processDue(own);
      expect((await current(subscription)).invoices[0]?.prompting).toMatchObject({
        attempt: 1,
        claimed: clock.now(),
        transactionid: promptTransaction,
        reason: null,
      });
    },
  );
});

/** Weeks that were missed: more than one step bills. */
const missedWeeks = 20;

async function missed(): Promise<Subscription> {
  clock.set(start);
  const subscription = await addSubscription(other, businessid);
  await issueBilled(other, subscription, "paid");
  clock.advance((missedWeeks * 7 + 1) * dayMs);
  return subscription;
}

async function billedPeriods(subscription: Subscription): Promise<string[]> {
  const events = await eventsOf(subscription, "billed");
  return events.map(({ data }) => (data as { key: { of: string } }).key.of);
}

const allPeriods = Array.from({ length: missedWeeks + 1 }, (_, week) =>
  addMs(start, week * 7 * dayMs).toISOString(),
);

it.each(["pause", "cancel"] as const)(
  "a command (%s) after 20 missed periods is decided when all of them are billed",
  async (name) => {
    const subscription = await missed();
    expect(await command(own, name, subscription)).toMatchObject({ ok: true });
    const status = name === "pause" ? "paused" : "cancelled";
    expect(await current(subscription)).toMatchObject({ status, nextbillingdate: null });
    expect(await billedPeriods(subscription)).toEqual(allPeriods);
    const types = (await eventsOf(subscription)).map(({ type }) => type);
    expect(types.at(-1)).toBe(`subscription.${status}`);
  },
);

describe("a worker that dies at any of its writes", () => {
  it("bills every missed period once before a pause, which takes effect once", async () => {
    const points = await crashAtEachWrite(proxy, {
      prepare: missed,
      run: async (subscription) => command(own, "pause", subscription, subscription.id),
      runAgain: async (subscription) =>
        expect(await command(other, "pause", subscription, subscription.id)).toMatchObject({
          ok: true,
        }),
      check: async (subscription) => {
        expect(await billedPeriods(subscription)).toEqual(allPeriods);
        expect(await current(subscription)).toMatchObject({ status: "paused" });
        expect(await eventsOf(subscription, "paused")).toHaveLength(1);
      },
    });
    // Two steps of at most 12 periods, and the pause.
    expect(points).toHaveLength(6);
  });

  it("prompts a customer under one operation", async () => {
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => {
        neighbours.prompts.splice(0);
        await own.subscriptions.collection.deleteMany({});
        return prompted();
      },
      run: async () => processDue(own),
      runAgain: async () => {
        clock.advance(minuteMs);
        await processDue(other);
      },
      check: async (subscription) => {
        const { invoices, promptCount } = await current(subscription);
        expect(new Set(neighbours.prompts)).toEqual(new Set([`${invoices[0]?.invoiceid}:1`]));
        expect(promptCount).toBe(1);
        expect(invoices[0]?.prompting).toMatchObject({ transactionid: promptTransaction });
      },
    });
    expect(points).toHaveLength(4);
  });

  it("ends an expiry: every open invoice is cancelled, and the subscription expires once", async () => {
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => {
        await own.subscriptions.collection.deleteMany({});
        clock.set(start);
        const subscription = await prompted();
        clock.advance(3 * dayMs);
        await processDue(other);
        expect(await current(subscription)).toMatchObject({ status: "pending" });
        clock.advance(14 * dayMs);
        return subscription;
      },
      run: async () => processDue(own),
      runAgain: async () => {
        clock.advance(hourMs);
        await processDue(other);
      },
      check: async (subscription) => {
        expect(await current(subscription)).toMatchObject({ status: "expired", dueat: null });
        expect(await eventsOf(subscription, "expired")).toHaveLength(1);
        const issued = neighbours.invoices.filter(
          ({ key }) => key.subscriptionid === subscription.id,
        );
        expect(issued.map(({ status }) => status)).toEqual(["cancelled"]);
      },
    });
    expect(points.length).toBeGreaterThanOrEqual(4);
  });

  it("withdraws the offer of an ended subscription", async () => {
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => {
        await own.subscriptions.collection.deleteMany({});
        clock.set(start);
        const subscription = await addSubscription(other, businessid, { autorenew: false });
        await issueBilled(other, subscription, "paid");
        clock.advance(7 * dayMs);
        await processDue(other);
        await issueBilled(other, subscription);
        return subscription;
      },
      run: async (subscription) => {
        await command(own, "cancel", subscription, subscription.id);
        await processDue(own);
      },
      runAgain: async (subscription) => {
        await command(other, "cancel", subscription, subscription.id);
        // The invoice service reports a cancellation, also one whose answer nobody received.
        await issueBilled(other, subscription);
        clock.advance(hourMs);
        await processDue(other);
      },
      check: async (subscription) => {
        const ended = { status: "cancelled", mustWithdrawOffers: false, dueat: null };
        expect(await current(subscription)).toMatchObject(ended);
        expect(await eventsOf(subscription, "cancelled")).toHaveLength(1);
        const offers = neighbours.invoices.filter(
          ({ key }) => key.subscriptionid === subscription.id && key.why === "renewal",
        );
        expect(offers.map(({ status }) => status)).toEqual(["cancelled"]);
      },
    });
    expect(points).toHaveLength(4);
  });
});
