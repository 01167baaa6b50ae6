import { addMs, dayMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { inOwnNamespace, useSharedServers } from "@malipo/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import type { PublicEvent } from "../src/domain/public-event.ts";
import { createFanOut } from "../src/workflows/fan-out.ts";
import { paymentEvent, type TestEvent } from "./payment-event.ts";
import { addEndpoint, startWebhook } from "./service.ts";

const shared = useSharedServers();
const now = new Date();

function start(): Promise<Deps> {
  return startWebhook(inOwnNamespace(shared));
}

type Consumed = Parameters<Deps["fanOut"]>[0];

/** Fans out as one process of several. */
function fanOut(deps: Deps, events: Consumed, now: Date): Promise<void> {
  const workers = {
    firstAttempts: deps.firstAttempts,
    announce: () => undefined,
    uptimeMs: () => performance.now(),
  };
  return createFanOut(deps, workers)(events, now);
}

/** Fans out, and retries as the stream would when other writers were faster for too long. */
async function fanOutWithRetry(deps: Deps, events: Consumed): Promise<void> {
  for (;;) {
    try {
      return await fanOut(deps, events, now);
    } catch (error) {
      if (!String(error).includes("other processes write the event log")) throw error;
    }
  }
}

function consumed(events: readonly TestEvent[]): Consumed {
  return events as Consumed;
}

/** Reads a business's feed to its current end. */
async function readToEnd(
  { log }: Deps,
  businessid: string,
  after: number,
  limit: number,
): Promise<{ events: PublicEvent[]; position: number }> {
  const events: PublicEvent[] = [];
  let position = after;
  for (;;) {
    const page = await log.page(businessid, { after: position, limit });
    events.push(...page.events);
    ({ position } = page);
    if (!page.more) return { events, position };
  }
}

describe("the event log", () => {
  it("has every event once and in order while several processes write", async () => {
    const deps = await start();
    const businesses = [newId(), newId(), newId()];
    const events = Array.from({ length: 300 }, (_, index) =>
      paymentEvent(businesses[index % 3] ?? "", { seq: index }),
    );
    // Writers that all believe they are the reader of the stream, with overlapping batches.
    const sizes = fc.sample(fc.integer({ min: 1, max: 60 }), { numRuns: 8, seed: 7 });
    const progress = { isWriting: true };
    const writing = Promise.all(
      sizes.map(async (size) => {
        for (let from = 0; from < events.length; from += size) {
          await fanOutWithRetry(deps, consumed(events.slice(from, from + size)));
        }
      }),
    ).finally(() => {
      progress.isWriting = false;
    });
    const reading = businesses.map(async (businessid, index) => {
      const seen: PublicEvent[] = [];
      let position = 0;
      while (progress.isWriting) {
        const next = await readToEnd(deps, businessid, position, 1 + index * 7);
        seen.push(...next.events);
        ({ position } = next);
      }
      return [...seen, ...(await readToEnd(deps, businessid, position, 100)).events];
    });
    await writing;
    for (const [index, seen] of (await Promise.all(reading)).entries()) {
      const own = events.filter(({ businessid }) => businessid === businesses[index]);
      // Each event once, however the writers interleaved.
      expect(seen.map(({ id }) => id).toSorted()).toEqual(own.map(({ id }) => id).toSorted());
      const afterwards = await readToEnd(deps, businesses[index] ?? "", 0, 50);
      expect(afterwards.events.map(({ id }) => id)).toEqual(seen.map(({ id }) => id));
    }
    expect(await deps.log.newest()).toBe(events.length);
  });

  it("is in the order of the stream, without repeated events", async () => {
    const deps = await start();
    const businessid = newId();
    const events = Array.from({ length: 20 }, () => paymentEvent(businessid));
    await fanOut(deps, consumed(events.slice(0, 12)), now);
    // Events that come again after a crash are known already.
    await fanOut(deps, consumed(events.slice(5)), now);
    const { events: seen } = await readToEnd(deps, businessid, 0, 7);
    expect(seen.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it("has all deliveries of an event even after a crash between the two writes", async () => {
    const deps = await start();
    const businessid = newId();
    const endpoint = await addEndpoint(deps, businessid, "http://127.0.0.1:9/", {
      enabled: false,
    });
    const events = [paymentEvent(businessid), paymentEvent(businessid)];
    const crashing = {
      ...deps,
      log: { ...deps.log, append: () => Promise.reject(new Error("crashed")) },
    };
    await expect(fanOut(crashing, consumed(events), now)).rejects.toThrow("crashed");
    expect((await readToEnd(deps, businessid, 0, 10)).events).toEqual([]);
    await fanOut(deps, consumed(events), now);
    const { deliveries } = await deps.deliveries.page(businessid, endpoint.id, {
      page: 1,
      limit: 10,
    });
    expect(deliveries.map(({ eventid }) => eventid).toSorted()).toEqual(
      events.map(({ id }) => id).toSorted(),
    );
  });

  it("has one delivery for a repeated event, and none for an event past the retention", async () => {
    const deps = await start();
    const businessid = newId();
    const endpoint = await addEndpoint(deps, businessid, "http://127.0.0.1:9/", {
      enabled: false,
    });
    const event = paymentEvent(businessid);
    const old = paymentEvent(businessid, { at: addMs(now, -31 * dayMs).toISOString() });
    await fanOut(deps, consumed([event, old, event]), now);
    await fanOut(deps, consumed([event]), now);
    const { paging } = await deps.deliveries.page(businessid, endpoint.id, { page: 1, limit: 10 });
    expect(paging.total).toBe(1);
    expect((await readToEnd(deps, businessid, 0, 10)).events).toHaveLength(1);
  });

  it("deletes events after thirty days, but never the newest position", async () => {
    const deps = await start();
    const businessid = newId();
    const longAgo = addMs(now, -40 * dayMs);
    const at = longAgo.toISOString();
    await fanOut(
      deps,
      consumed([paymentEvent(businessid, { at }), paymentEvent(businessid, { at })]),
      longAgo,
    );
    await fanOut(deps, consumed([paymentEvent(businessid, { at })]), longAgo);
    expect(await deps.log.prune(now)).toBe(2);
    expect(await deps.log.oldest()).toBe(3);
    expect(await deps.log.prune(now)).toBe(0);
    await fanOut(deps, consumed([paymentEvent(businessid)]), now);
    expect(await deps.log.newest()).toBe(4);
    expect(await deps.log.prune(now)).toBe(1);
    expect(await deps.log.prune(now)).toBe(0);
  });

  it("contains no internal events and no internal fields", async () => {
    const deps = await start();
    const businessid = newId();
    const internal = paymentEvent(businessid, { type: "product.created" });
    await fanOut(deps, consumed([internal, paymentEvent(businessid)]), now);
    const { events } = await readToEnd(deps, businessid, 0, 10);
    expect(events).toHaveLength(1);
    expect(events[0]?.body).not.toContain("customerid");
  });

  it("returns pages that fit into a NATS message", async () => {
    const deps = await start();
    const businessid = newId();
    const long = Array.from({ length: 4 }, () => {
      const event = paymentEvent(businessid);
      const data = { ...(event.data as object), referenceid: "x".repeat(200_000) };
      return { ...event, data };
    });
    await fanOut(deps, consumed(long), now);
    const page = await deps.log.page(businessid, { after: 0, limit: 100 });
    expect(page).toMatchObject({ more: true, position: 2 });
    expect((await readToEnd(deps, businessid, 0, 100)).events).toHaveLength(4);
  });
});
