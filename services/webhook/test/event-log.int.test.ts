import { addMs, dayMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { inOwnNamespace, useSharedServers } from "@malipo/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import type { LoggedEvent } from "../src/store/event-log.ts";
import { createFanOut } from "../src/workflows/fan-out.ts";
import { paymentEvent, type TestEvent } from "./payment-event.ts";
import { addEndpoint, startWebhook } from "./service.ts";

const shared = useSharedServers();
const now = new Date();

function start(): Promise<Deps> {
  return startWebhook(inOwnNamespace(shared));
}

type Told = Parameters<Deps["fanOut"]>[0];

/** As one process of many would do it. */
function fanOut(deps: Deps, events: Told, now: Date): Promise<void> {
  const workers = { firstAttempts: deps.firstAttempts, announce: () => undefined };
  return createFanOut(deps, workers)(events, now);
}

/** As the stream would: what others were in the way of for long comes again. */
async function tell(deps: Deps, events: Told): Promise<void> {
  for (;;) {
    try {
      return await fanOut(deps, events, now);
    } catch (error) {
      if (!String(error).includes("others write the log")) throw error;
    }
  }
}

function told(events: readonly TestEvent[]): Told {
  return events as Told;
}

/** Reads a business's feed to its present end. */
async function readOn(
  { log }: Deps,
  businessid: string,
  after: number,
  limit: number,
): Promise<{ events: LoggedEvent[]; position: number }> {
  const events: LoggedEvent[] = [];
  let position = after;
  for (;;) {
    const page = await log.page(businessid, { after: position, limit });
    events.push(...page.events);
    ({ position } = page);
    if (!page.more) return { events, position };
  }
}

describe("the log", () => {
  it("has every event once, in order, whoever writes at the same time", async () => {
    const deps = await start();
    const businesses = [newId(), newId(), newId()];
    const events = Array.from({ length: 300 }, (_, index) =>
      paymentEvent(businesses[index % 3] ?? "", { seq: index }),
    );
    // Writers that all believe it is their turn, each with batches of its own that overlap.
    const sizes = fc.sample(fc.integer({ min: 1, max: 60 }), { numRuns: 8, seed: 7 });
    const progress = { isWriting: true };
    const writing = Promise.all(
      sizes.map(async (size) => {
        for (let from = 0; from < events.length; from += size) {
          await tell(deps, told(events.slice(from, from + size)));
        }
      }),
    ).finally(() => {
      progress.isWriting = false;
    });
    const reading = businesses.map(async (businessid, index) => {
      const seen: LoggedEvent[] = [];
      let position = 0;
      while (progress.isWriting) {
        const next = await readOn(deps, businessid, position, 1 + index * 7);
        seen.push(...next.events);
        ({ position } = next);
      }
      return [...seen, ...(await readOn(deps, businessid, position, 100)).events];
    });
    await writing;
    for (const [index, seen] of (await Promise.all(reading)).entries()) {
      const own = events.filter(({ businessid }) => businessid === businesses[index]);
      // Nothing missed, nothing twice, however the writers interleaved.
      expect(seen.map(({ id }) => id).toSorted()).toEqual(own.map(({ id }) => id).toSorted());
      const afterwards = await readOn(deps, businesses[index] ?? "", 0, 50);
      expect(afterwards.events.map(({ id }) => id)).toEqual(seen.map(({ id }) => id));
    }
    expect(await deps.log.newest()).toBe(events.length);
  });

  it("is in the order of the stream", async () => {
    const deps = await start();
    const businessid = newId();
    const events = Array.from({ length: 20 }, () => paymentEvent(businessid));
    await fanOut(deps, told(events.slice(0, 12)), now);
    // What comes again after a crash is known already.
    await fanOut(deps, told(events.slice(5)), now);
    const { events: seen } = await readOn(deps, businessid, 0, 7);
    expect(seen.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it("writes an event with all its deliveries, also after a crash between the two", async () => {
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
    await expect(fanOut(crashing, told(events), now)).rejects.toThrow("crashed");
    expect((await readOn(deps, businessid, 0, 10)).events).toEqual([]);
    await fanOut(deps, told(events), now);
    const { deliveries } = await deps.deliveries.page(businessid, endpoint.id, {
      page: 1,
      limit: 10,
    });
    expect(deliveries.map(({ eventid }) => eventid).toSorted()).toEqual(
      events.map(({ id }) => id).toSorted(),
    );
  });

  it("delivers an event that comes again only once, and one from long ago not at all", async () => {
    const deps = await start();
    const businessid = newId();
    const endpoint = await addEndpoint(deps, businessid, "http://127.0.0.1:9/", {
      enabled: false,
    });
    const event = paymentEvent(businessid);
    const old = paymentEvent(businessid, { at: addMs(now, -31 * dayMs).toISOString() });
    await fanOut(deps, told([event, old, event]), now);
    await fanOut(deps, told([event]), now);
    const { paging } = await deps.deliveries.page(businessid, endpoint.id, { page: 1, limit: 10 });
    expect(paging.total).toBe(1);
    expect((await readOn(deps, businessid, 0, 10)).events).toHaveLength(1);
  });

  it("keeps its events for thirty days, and its newest position for ever", async () => {
    const deps = await start();
    const businessid = newId();
    const longAgo = addMs(now, -40 * dayMs);
    const at = longAgo.toISOString();
    await fanOut(
      deps,
      told([paymentEvent(businessid, { at }), paymentEvent(businessid, { at })]),
      longAgo,
    );
    await fanOut(deps, told([paymentEvent(businessid, { at })]), longAgo);
    expect(await deps.log.prune(now)).toBe(2);
    expect(await deps.log.oldest()).toBe(3);
    expect(await deps.log.prune(now)).toBe(0);
    await fanOut(deps, told([paymentEvent(businessid)]), now);
    expect(await deps.log.newest()).toBe(4);
    expect(await deps.log.prune(now)).toBe(1);
    expect(await deps.log.prune(now)).toBe(0);
  });

  it("tells nothing internal and nothing of what is inside", async () => {
    const deps = await start();
    const businessid = newId();
    const internal = paymentEvent(businessid, { type: "product.created" });
    await fanOut(deps, told([internal, paymentEvent(businessid)]), now);
    const { events } = await readOn(deps, businessid, 0, 10);
    expect(events).toHaveLength(1);
    expect(events[0]?.body).not.toContain("customerid");
  });

  it("fits what it answers into a message", async () => {
    const deps = await start();
    const businessid = newId();
    const long = Array.from({ length: 4 }, () => {
      const event = paymentEvent(businessid);
      const data = { ...(event.data as object), referenceid: "x".repeat(200_000) };
      return { ...event, data };
    });
    await fanOut(deps, told(long), now);
    const page = await deps.log.page(businessid, { after: 0, limit: 100 });
    expect(page).toMatchObject({ more: true, position: 2 });
    expect((await readOn(deps, businessid, 0, 100)).events).toHaveLength(4);
  });
});
