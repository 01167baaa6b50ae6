import { addMs, hourMs, secondMs } from "@malipo/core";
import { DuplicateRecord, newId } from "@malipo/platform";
import {
  crashAtEachWrite,
  createStreams,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { FirstAttempts } from "../src/delivery/first-attempts.ts";
import type { AttemptResult, DueDelivery } from "../src/domain/delivery.ts";
import { leaseMs } from "../src/domain/queue.ts";
import { resendDueAt } from "../src/store/deliveries.ts";
import { openEventLog } from "../src/store/event-log.ts";
import { createFanOut } from "../src/workflows/fan-out.ts";
import { paymentEvent, type TestEvent } from "./payment-event.ts";
import { addEndpoint, openStores } from "./service.ts";

const servers = useSharedServers();
const now = new Date("2026-11-22T08:00:00Z");
const before = { side: "before" } as const;
let proxy: StoreProxy;

beforeAll(async () => {
  await createStreams(servers);
  proxy = await startStoreProxy(servers.mongodbUri);
});
afterEach(() => {
  proxy.forget();
  proxy.revive();
});
afterAll(() => proxy.close());

/** Two workers: a test interrupts the writes of `own`, and lets those of `other` win. */
async function openBoth() {
  const own = await openStores({ ...servers, mongodbUri: proxy.mongodbUri });
  const other = await openStores(servers);
  return { own, other };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

const uptimeMs = () => performance.now();
/** A worker without leases: it stores every delivery as waiting. */
const firstAttempts: FirstAttempts = {
  tryAtOnce: async (left) => ({ left, slow: [], stored: Promise.resolve() }),
};

function fanOut(stores: Stores, events: readonly TestEvent[]): Promise<void> {
  const fan = createFanOut(stores, { firstAttempts, announce: () => undefined, uptimeMs });
  return fan(events as Parameters<typeof fan>[0], now);
}

/** A delivery that one worker has read, and the failure of its last attempt. */
async function failing({ own, other }: { own: Stores; other: Stores }) {
  const businessid = newId();
  const endpoint = await addEndpoint(other, businessid, "http://127.0.0.1:9/");
  await fanOut(other, [paymentEvent(businessid)]);
  const [delivery] = await own.deliveries.due(endpoint.id, now, { except: [], limit: 1 });
  if (!delivery) throw new Error("a delivery is due");
  return { businessid, endpoint, delivery, result: lastFailure(delivery) };
}

function lastFailure(delivery: DueDelivery): AttemptResult {
  const attempt = {
    id: newId(),
    at: now,
    milliseconds: 1,
    status: 500,
    problem: "no",
    response: "",
  };
  const outcome = {
    status: "failed",
    tries: 3,
    dueat: null,
    problem: "no",
    failedat: now,
  } as const;
  return { delivery, attempt, outcome };
}

describe("the outcome of an attempt", () => {
  it("does not undo a resend that was made meanwhile, but is in its log", async () => {
    const both = await openBoth();
    const { businessid, delivery, result } = await failing(both);
    const later = addMs(now, secondMs);
    const won = proxy.interrupt(before, () =>
      both.other.deliveries.resend(businessid, delivery.id, { now: later }),
    );
    await both.own.deliveries.record([result]);
    await won;
    expect(await both.other.deliveries.find(businessid, delivery.id)).toMatchObject({
      status: "pending",
      dueat: resendDueAt,
      tries: 0,
      attempts: 1,
      failedat: null,
      log: [{ id: result.attempt.id }],
    });
    // Storing it again, after an answer that was lost, adds nothing.
    await both.own.deliveries.record([result]);
    expect((await both.other.deliveries.find(businessid, delivery.id))?.log).toHaveLength(1);
  });

  it("does not revive a delivery that was dropped meanwhile", async () => {
    const both = await openBoth();
    const { businessid, endpoint, delivery, result } = await failing(both);
    const retried = { ...result.outcome, status: "pending", dueat: now } as const;
    const won = proxy.interrupt(before, () => both.other.deliveries.drop(endpoint.id, now, now));
    await both.own.deliveries.record([{ ...result, outcome: retried }]);
    await won;
    const found = await both.other.deliveries.find(businessid, delivery.id);
    expect(found).toMatchObject({ status: "dropped", dueat: null, attempts: 1 });
  });

  it("is kept when the backlog is dropped, or failures are resent, at the same time", async () => {
    const both = await openBoth();
    const { businessid, endpoint, delivery, result } = await failing(both);
    const delivered = { ...result.outcome, status: "delivered", failedat: null } as const;
    const stored = proxy.interrupt(before, () =>
      both.other.deliveries.record([{ ...result, outcome: delivered }]),
    );
    await both.own.deliveries.drop(endpoint.id, now, now);
    await stored;
    const find = async () => both.other.deliveries.find(businessid, delivery.id);
    expect(await find()).toMatchObject({ status: "delivered", attempts: 1 });

    const version = (await find())?.version ?? 0;
    await both.other.deliveries.record([lastFailure({ ...delivery, version })]);
    const repaired = proxy.interrupt(before, async () => {
      const again = lastFailure({ ...delivery, version: version + 1 });
      await both.other.deliveries.record([{ ...again, outcome: delivered }]);
    });
    const { failed } = await both.own.deliveries.failedSince(endpoint.id, new Date(0), now);
    const turns = failed.map(() => now);
    const resent = await both.own.deliveries.resendMany(failed, turns, now);
    await repaired;
    expect(resent).toBe(0);
    expect(await find()).toMatchObject({ status: "delivered", dueat: null, attempts: 3 });
  });

  it("starts one new schedule when two requests of one operation resend it", async () => {
    const both = await openBoth();
    const { businessid, delivery, result } = await failing(both);
    await both.other.deliveries.record([result]);
    const cause = { now, operationid: newId() };
    const won = proxy.interrupt(before, async () => {
      const resent = await both.other.deliveries.resend(businessid, delivery.id, cause);
      if (resent) await both.other.deliveries.record([lastFailure(resent)]);
    });
    const repeated = await both.own.deliveries.resend(businessid, delivery.id, cause);
    await won;
    expect(repeated).toMatchObject({ status: "failed", tries: 3, attempts: 2 });
  });
});

/** An endpoint that has something due. */
async function marked() {
  const both = await openBoth();
  const endpointid = newId();
  // A claim takes the endpoints of all tests.
  await both.other.service.store.db.collection("queues").deleteMany({});
  await both.other.queues.mark([{ endpointid, enabled: true }], now);
  return { ...both, endpointid };
}

describe("the lease on an endpoint", () => {
  it("goes to one of two workers that claim it at once", async () => {
    const { own, other } = await marked();
    const claimed: unknown[] = [];
    const won = proxy.interrupt(before, async () =>
      claimed.push(...(await other.queues.claim(now, 10))),
    );
    expect(await own.queues.claim(now, 10)).toEqual([]);
    await won;
    expect(claimed).toHaveLength(1);
  });

  it("is not renewed or released by a worker that has lost it", async () => {
    const { own, other, endpointid } = await marked();
    const [lease] = await own.queues.claim(now, 1);
    if (!lease) throw new Error("the endpoint is free");
    const later = addMs(now, leaseMs + 1);
    const won = proxy.interrupt(before, () => other.queues.claim(later, 1));
    const renewed = await own.queues.renew([lease], later);
    await won;
    expect(renewed.lost).toEqual(new Set([endpointid]));
    expect(await own.queues.release(lease, { dueAt: null, isParked: false })).toBe(false);
    const owner = (await other.queues.read(endpointid))?.owner;
    expect(owner).not.toBe(lease.owner);
    expect(owner).not.toBe("");
  });

  it("is not released while something new becomes due", async () => {
    const { own, other, endpointid } = await marked();
    const [lease] = await own.queues.claim(now, 1);
    if (!lease) throw new Error("the endpoint is free");
    const won = proxy.interrupt(before, () =>
      other.queues.mark([{ endpointid, enabled: true }], now),
    );
    expect(await own.queues.release(lease, { dueAt: null, isParked: false })).toBe(false);
    await won;
    expect(await other.queues.waitingSince(addMs(now, leaseMs + 1))).toEqual(now);
  });

  it("keeps a later wish to drop the backlog when an earlier one is done", async () => {
    const { own, other, endpointid } = await marked();
    const [first, second] = [addMs(now, secondMs), addMs(now, 2 * secondMs)];
    await other.queues.restart(endpointid, now, first);
    const won = proxy.interrupt(before, () => other.queues.restart(endpointid, now, second));
    await own.queues.finishDrop(endpointid, first);
    await won;
    expect((await other.queues.read(endpointid))?.dropuntil).toEqual(second);
  });
});

describe("the event log", () => {
  it("has each event once when two processes write it at once", async () => {
    const { own, other } = await openBoth();
    const businessid = newId();
    await addEndpoint(other, businessid, "http://127.0.0.1:9/");
    const events = Array.from({ length: 3 }, () => paymentEvent(businessid));
    const after = await other.log.newest();
    const pattern = { collection: "eventlog" };
    const won = proxy.interrupt({ ...before, pattern }, () => fanOut(other, events.slice(0, 2)));
    await fanOut(own, events);
    await won;
    const page = await other.log.page(businessid, { after, limit: 10 });
    expect(page.events.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it("has one identity when two processes start it at once", async () => {
    const { own, other } = await openBoth();
    await own.service.store.db.collection("logs").deleteMany({});
    const theirs = Promise.withResolvers<string>();
    const pattern = { collection: "logs" };
    const won = proxy.interrupt({ ...before, pattern }, async () =>
      theirs.resolve((await openEventLog(other.service)).epoch),
    );
    const { epoch } = await openEventLog(own.service);
    await won;
    expect(await theirs.promise).toBe(epoch);
  });
});

it("a webhook is refused when another request takes the last place between check and write", async () => {
  const { own, other } = await openBoth();
  const businessid = newId();
  const [url, slot] = ["http://127.0.0.1:9/", 20];
  const won = proxy.interrupt(before, () => addEndpoint(other, businessid, url, { slot }));
  await expect(addEndpoint(own, businessid, url, { slot })).rejects.toThrow(DuplicateRecord);
  await won;
  expect(await other.endpoints.slotsTaken(businessid)).toEqual([slot]);
});

describe("a process that dies while it fans out events", () => {
  it("leaves no event in the log without its deliveries and the mark of its endpoint", async () => {
    const { own, other } = await openBoth();
    const db = other.service.store.db;
    const points = await crashAtEachWrite(proxy, {
      prepare: async () => {
        await db.collection("queues").deleteMany({});
        const businessid = newId();
        const endpoint = await addEndpoint(other, businessid, "http://127.0.0.1:9/");
        const events = Array.from({ length: 2 }, () => paymentEvent(businessid));
        return { businessid, endpoint, events };
      },
      run: async ({ events }) => fanOut(own, events),
      runAgain: async ({ businessid, endpoint, events }) => {
        // What a reader of the feed sees has been handed to the endpoint, also before the repetition.
        const seen = (await other.log.page(businessid, { after: 0, limit: 10 })).events;
        const waiting = await other.deliveries.due(endpoint.id, now, { except: [], limit: 10 });
        const ids = waiting.map(({ eventid }) => eventid);
        expect(ids).toEqual(expect.arrayContaining(seen.map(({ id }) => id)));
        const isMarked = (await other.queues.read(endpoint.id)) !== null;
        expect({ isMarked: isMarked || seen.length === 0 }).toEqual({ isMarked: true });
        await fanOut(other, events);
      },
      check: async ({ businessid, endpoint, events }) => {
        const ids = events.map(({ id }) => id);
        const logged = await other.log.page(businessid, { after: 0, limit: 10 });
        expect(logged.events.map(({ id }) => id)).toEqual(ids);
        const due = await other.deliveries.due(endpoint.id, now, { except: [], limit: 10 });
        expect(due.map(({ eventid }) => eventid).toSorted()).toEqual(ids.toSorted());
        expect(await other.queues.waitingSince(addMs(now, hourMs))).toEqual(now);
      },
    });
    const collections = ["deliveries", "queues", "eventlog"];
    expect(points.map(({ write }) => write.collection)).toEqual(
      collections.flatMap((name) => [name, name]),
    );
  });
});
