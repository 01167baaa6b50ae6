import { addMs, dayMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { eventually, inOwnNamespace, publishEvents, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { testDueAt } from "../src/store/deliveries.ts";
import { type Delivery, testDelivery } from "../src/domain/delivery.ts";
import { deliveryIdOf } from "../src/store/delivery-id.ts";
import type { Deps } from "../src/deps.ts";
import { changeEndpoint, deleteEndpoint } from "../src/domain/endpoint.ts";
import { announceDue } from "../src/delivery/worker.ts";
import { ok } from "@malipo/core";
import { paymentEvent } from "./payment-event.ts";
import { startReceiver } from "./receiver.ts";
import { addEndpoint, startWebhook } from "./service.ts";

const shared = useSharedServers();
const everything = { page: 1, limit: 100 };
const soon = 10_000;

function events(businessid: string, count: number) {
  return Array.from({ length: count }, () => paymentEvent(businessid));
}

type Summary = Omit<Delivery, "body" | "log">;

async function deliveriesOf(
  { deliveries }: Deps,
  { businessid, id }: { businessid: string; id: string },
): Promise<readonly Summary[]> {
  return (await deliveries.page(businessid, id, everything)).deliveries;
}

async function restart({ queues, service }: Deps, endpointid: string, dropUntil?: Date) {
  await queues.restart(endpointid, new Date(), dropUntil);
  announceDue(service, [endpointid]);
}

describe("a worker", () => {
  it("delivers each event once to each endpoint that subscribes to it", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers);
    const businessid = newId();
    const [one, two, other] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await addEndpoint(deps, businessid, one.url);
    await addEndpoint(deps, businessid, two.url, { types: ["payment.failed"] });
    await addEndpoint(deps, newId(), other.url);
    const sent = events(businessid, 50);
    const failed = paymentEvent(businessid, { type: "payment.failed" });
    await publishEvents(servers, [...sent, failed]);
    await eventually(() => expect(one.received).toHaveLength(51), soon);
    await eventually(() => expect(two.received.map(({ id }) => id)).toEqual([failed.id]), soon);
    expect(new Set(one.received.map(({ id }) => id)).size).toBe(51);
    expect(other.received).toEqual([]);
    expect(one.maxConcurrent()).toBeLessThanOrEqual(5);
  });

  it("retries by the schedule with the same id, and stores every attempt", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers, { env: { RETRY_DELAYS: "0,0,1" } });
    const businessid = newId();
    let times = 0;
    const receiver = await startReceiver((_, response) => {
      times += 1;
      response.writeHead(times < 4 ? 503 : 200).end(`time ${times}`);
    });
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    const [event] = events(businessid, 1);
    if (!event) throw new Error("one event");
    await publishEvents(servers, [event]);
    const done = await eventually(async () => {
      const [delivery] = await deliveriesOf(deps, endpoint);
      expect(delivery?.status).toBe("delivered");
      return delivery;
    }, soon);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([event.id]));
    const bodies = new Set(receiver.received.map(({ body }) => body));
    expect(bodies.size).toBe(1);
    const whole = await deps.deliveries.find(businessid, done?.id ?? "");
    expect(whole).toMatchObject({ attempts: 4, tries: 3, problem: null, dueat: null });
    expect(whole?.log).toMatchObject([
      { status: 503, problem: "answered 503", response: "time 1" },
      { status: 503, problem: "answered 503", response: "time 2" },
      { status: 503, problem: "answered 503", response: "time 3" },
      { status: 200, problem: null, response: "time 4" },
    ]);
  });

  it("makes all attempts again after each kind of resend", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers, { env: { RETRY_DELAYS: "0,0" } });
    const businessid = newId();
    const receiver = await startReceiver(500);
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 1));
    const failedAfter = async (attempts: number) =>
      eventually(async () => {
        const [found] = await deliveriesOf(deps, endpoint);
        expect(found).toMatchObject({ status: "failed", attempts, tries: 3 });
        expect(receiver.received).toHaveLength(attempts);
        return found?.id ?? "";
      }, soon);
    const id = await failedAfter(3);
    await deps.deliveries.resend(businessid, id, { now: new Date() });
    await restart(deps, endpoint.id);
    await failedAfter(6);
    const { failed } = await deps.deliveries.failedSince(endpoint.id, new Date(0), new Date());
    await deps.deliveries.resendMany(failed, [], new Date());
    await restart(deps, endpoint.id);
    await failedAfter(9);
  });

  it("stops after the last attempt, and sends again after a resend", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers, { env: { RETRY_DELAYS: "0" } });
    const businessid = newId();
    const receiver = await startReceiver(500);
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 2));
    const failed = await eventually(async () => {
      const found = await deliveriesOf(deps, endpoint);
      expect(found.map(({ status }) => status)).toEqual(["failed", "failed"]);
      return found;
    }, soon);
    expect(receiver.received).toHaveLength(4);
    receiver.answer(200);
    const [first] = failed;
    await deps.deliveries.resend(businessid, first?.id ?? "", { now: new Date() });
    await restart(deps, endpoint.id);
    await eventually(() => expect(receiver.received).toHaveLength(5), soon);
    expect(receiver.received[4]?.id).toBe(first?.eventid);
    const found = await deps.deliveries.failedSince(endpoint.id, testDueAt, new Date());
    expect(await deps.deliveries.resendMany(found.failed, [new Date()], new Date())).toBe(1);
    await restart(deps, endpoint.id);
    await eventually(async () => {
      const found = await deliveriesOf(deps, endpoint);
      expect(found.map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    }, soon);
    expect(await deps.deliveries.failedSince(endpoint.id, testDueAt, new Date())).toEqual({
      failed: [],
      more: false,
    });
  });

  it("sends at most five requests at once to a receiver, counted over all workers", async () => {
    const servers = inOwnNamespace(shared);
    const [deps] = [await startWebhook(servers), await startWebhook(servers)];
    const businessid = newId();
    const held: (() => void)[] = [];
    const receiver = await startReceiver((_, response) => held.push(() => response.end()));
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 60));
    // Every answer is held back until all five are under way.
    await eventually(() => expect(held).toHaveLength(5), soon);
    // Tests and resends share the same limit.
    const tests = Array.from({ length: 10 }, () => {
      const eventid = `evt_${newId()}`;
      const dates = { now: new Date(), dueat: testDueAt };
      return testDelivery(deliveryIdOf(eventid, endpoint.id), endpoint, eventid, dates);
    });
    await deps.deliveries.insert(tests);
    for (const answer of held.splice(0)) answer();
    await eventually(() => expect(held).toHaveLength(5), soon);
    const [first] = receiver.received;
    const resentId = deliveryIdOf(first?.id ?? "", endpoint.id);
    await eventually(async () => {
      const found = await deps.deliveries.find(businessid, resentId);
      expect(found).toMatchObject({ status: "delivered" });
    }, soon);
    await deps.deliveries.resend(businessid, resentId, { now: new Date() });
    await restart(deps, endpoint.id);
    receiver.answer((_, response) => void setImmediate(() => response.end()));
    for (const answer of held) answer();
    await eventually(() => expect(receiver.received).toHaveLength(71), soon);
    expect(receiver.maxConcurrent()).toBe(5);
  });

  it("delivers to a fast receiver while others are slow or dead", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers, { env: { ATTEMPT_TIMEOUT_MS: "2000" } });
    const businessid = newId();
    const [slow, dead, fast] = [
      await startReceiver(() => undefined),
      await startReceiver(),
      await startReceiver(),
    ];
    await dead.close();
    for (const { url } of [slow, dead, fast]) await addEndpoint(deps, businessid, url);
    await publishEvents(servers, events(businessid, 200));
    await eventually(() => expect(fast.received).toHaveLength(200), soon);
    expect(slow.received.length).toBeLessThanOrEqual(10);
  });

  it("gives a failing receiver rests, and delivers everything when it works again", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers, { env: { RETRY_DELAYS: "1,1,1,1,1" } });
    const businessid = newId();
    const receiver = await startReceiver(500);
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 40));
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(5), soon);
    const since = await eventually(async () => {
      const since = (await deps.queues.failingSince([endpoint.id])).get(endpoint.id);
      expect(since).toBeInstanceOf(Date);
      return since;
    }, soon);
    expect(since?.getTime()).toBeLessThanOrEqual(Date.now());
    // During the rest: forty events, but no attempts beyond those that were under way.
    expect(receiver.received.length).toBeLessThanOrEqual(9);
    receiver.answer(200);
    await eventually(async () => {
      const found = await deliveriesOf(deps, endpoint);
      expect(found.every(({ status }) => status === "delivered")).toBe(true);
    }, 20_000);
    await eventually(async () =>
      expect(await deps.queues.failingSince([endpoint.id])).toEqual(new Map()),
    );
  });

  it("delays all events of a receiver that answers 429 with Retry-After", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers, { env: { RETRY_DELAYS: "0,0,0" } });
    const businessid = newId();
    const receiver = await startReceiver((_, response) =>
      response.writeHead(429, { "retry-after": "3" }).end(),
    );
    await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 1));
    await eventually(() => expect(receiver.received).toHaveLength(1), soon);
    receiver.answer(200);
    await publishEvents(servers, events(businessid, 5));
    await eventually(() => expect(receiver.received).toHaveLength(7), soon);
    const [first, second] = receiver.received;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(2_600);
  });

  it("disables an endpoint after a 410, and keeps its events for later", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers);
    const businessid = newId();
    const receiver = await startReceiver(410);
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 1));
    await eventually(async () => {
      expect(await deps.endpoints.get(endpoint.id)).toMatchObject({
        enabled: false,
        disabledreason: "Its receiver answered 410 Gone",
        disabledat: expect.any(Date),
      });
    }, soon);
    receiver.answer(200);
    await publishEvents(servers, events(businessid, 3));
    await eventually(async () => expect(await deliveriesOf(deps, endpoint)).toHaveLength(4), soon);
    expect(receiver.received).toHaveLength(1);
    await deps.endpoints.update(businessid, endpoint.id, { now: new Date() }, (found) =>
      ok({ entity: changeEndpoint(found, { enabled: true }, new Date()), events: [] }),
    );
    await restart(deps, endpoint.id);
    // The delivery that got the 410 comes with its next try.
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(4), soon);
  });

  it("delivers to an endpoint whose enabling was not announced because its process ended", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers);
    const businessid = newId();
    const receiver = await startReceiver();
    const endpoint = await addEndpoint(deps, businessid, receiver.url, { enabled: false });
    await publishEvents(servers, events(businessid, 2));
    await eventually(async () => expect(await deliveriesOf(deps, endpoint)).toHaveLength(2), soon);
    await deps.endpoints.update(businessid, endpoint.id, { now: new Date() }, (found) =>
      ok({ entity: changeEndpoint(found, { enabled: true }, new Date()), events: [] }),
    );
    await publishEvents(servers, events(businessid, 1));
    await eventually(() => expect(receiver.received).toHaveLength(3), soon);
  });

  it("drops waiting deliveries when the owner asks for it", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers);
    const businessid = newId();
    const receiver = await startReceiver();
    const endpoint = await addEndpoint(deps, businessid, receiver.url, { enabled: false });
    await publishEvents(servers, events(businessid, 30));
    await eventually(async () => expect(await deliveriesOf(deps, endpoint)).toHaveLength(30), soon);
    await deps.endpoints.update(businessid, endpoint.id, { now: new Date() }, (found) =>
      ok({ entity: changeEndpoint(found, { enabled: true }, new Date()), events: [] }),
    );
    await restart(deps, endpoint.id, new Date());
    await eventually(async () => {
      const found = await deliveriesOf(deps, endpoint);
      expect(found.every(({ status }) => status === "dropped")).toBe(true);
    }, soon);
    await publishEvents(servers, events(businessid, 1));
    await eventually(() => expect(receiver.received).toHaveLength(1), soon);
  });

  it("drops the waiting deliveries of a deleted endpoint", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers);
    const businessid = newId();
    const receiver = await startReceiver(500);
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 3));
    await eventually(() => expect(receiver.received).toHaveLength(3), soon);
    await deps.endpoints.update(businessid, endpoint.id, { now: new Date() }, (found) =>
      ok({ entity: deleteEndpoint(found, new Date()), events: [] }),
    );
    await restart(deps, endpoint.id, new Date());
    await eventually(async () => {
      const found = await deliveriesOf(deps, endpoint);
      expect(found.map(({ status }) => status)).toEqual(["dropped", "dropped", "dropped"]);
    }, soon);
    await publishEvents(servers, events(businessid, 1));
    await eventually(async () => expect(await deps.log.newest()).toBe(4), soon);
    expect(await deliveriesOf(deps, endpoint)).toHaveLength(3);
  });

  it("disables an endpoint after five days of only failures, and stores the reason", async () => {
    const servers = inOwnNamespace(shared);
    let offset = 0;
    const clock = () => addMs(new Date(), offset);
    const tenDays = "864000";
    const deps = await startWebhook(servers, { clock, env: { RETRY_DELAYS: tenDays } });
    const businessid = newId();
    const receiver = await startReceiver(500);
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    const isEnabled = async () => (await deps.endpoints.get(endpoint.id))?.enabled;
    const ownerOf = async () => (await deps.queues.read(endpoint.id))?.owner ?? "";
    for (let day = 0; day <= 5; day += 1) {
      expect(await isEnabled()).toBe(true);
      const ownerBefore = await ownerOf();
      offset = day * dayMs;
      const startOfDay = clock();
      // The lease of the day before has ended: without this wait its failure could be lost with it.
      await eventually(async () => {
        const owner = await ownerOf();
        return owner === "" || owner !== ownerBefore;
      }, soon);
      await publishEvents(servers, [paymentEvent(businessid, { at: startOfDay.toISOString() })]);
      // The failure is stored now; in memory alone it would be lost with the lease.
      await eventually(async () => {
        const { health } = (await deps.queues.read(endpoint.id)) ?? {};
        expect(health?.lastfailureat?.getTime()).toBeGreaterThanOrEqual(startOfDay.getTime());
      }, soon);
    }
    await eventually(async () => {
      expect(await deps.endpoints.get(endpoint.id)).toMatchObject({
        enabled: false,
        disabledreason: "Nothing but failure for 5 days; at last: answered 500",
      });
    }, soon);
  });

  it("stores an attempt that ended after its delivery was resent", async () => {
    const servers = inOwnNamespace(shared);
    const deps = await startWebhook(servers);
    const businessid = newId();
    const answers: (() => void)[] = [];
    const receiver = await startReceiver((_, response) => {
      answers.push(() => response.end());
    });
    const endpoint = await addEndpoint(deps, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 1));
    await eventually(() => expect(answers).toHaveLength(1), soon);
    const [delivery] = await deliveriesOf(deps, endpoint);
    await deps.deliveries.resend(businessid, delivery?.id ?? "", { now: new Date() });
    await restart(deps, endpoint.id);
    answers[0]?.();
    await eventually(() => expect(answers).toHaveLength(2), soon);
    answers[1]?.();
    await eventually(async () => {
      const found = await deps.deliveries.find(businessid, delivery?.id ?? "");
      expect(found).toMatchObject({ status: "delivered", attempts: 2 });
      expect(found?.log).toHaveLength(2);
    }, soon);
  });

  it("cancels attempts and releases its endpoints when it stops, and another worker continues at once", async () => {
    const servers = inOwnNamespace(shared);
    const first = await startWebhook(servers);
    const businessid = newId();
    const receiver = await startReceiver(() => undefined);
    const endpoint = await addEndpoint(first, businessid, receiver.url);
    await publishEvents(servers, events(businessid, 1));
    await eventually(() => expect(receiver.received).toHaveLength(1), soon);
    await first.service.shutdown.begin("the test stops it");
    receiver.answer(200);
    const second = await startWebhook(servers);
    await eventually(async () => {
      const [delivery] = await deliveriesOf(second, endpoint);
      expect(delivery).toMatchObject({ status: "delivered", tries: 0, attempts: 2 });
    }, 3_000);
  });
});
