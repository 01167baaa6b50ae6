import { newId } from "@malipo/platform";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFirstAttempts } from "../src/delivery/first-attempts.ts";
import { createRecorder } from "../src/delivery/recorder.ts";
import { type DeliveryDeps, RunningEndpoint } from "../src/delivery/running-endpoint.ts";
import type { NewDelivery } from "../src/domain/delivery.ts";
import { disableEndpoint } from "../src/domain/endpoint.ts";
import { isIdle } from "../src/domain/leased-endpoint/state.ts";
import { createResolver } from "../src/http/resolver.ts";
import { createSender } from "../src/http/send.ts";
import { deliveryIdOf } from "../src/store/delivery-id.ts";
import { createFanOut, type FanOut } from "../src/workflows/fan-out.ts";
import { ok } from "@malipo/core";
import { paymentEvent, type TestEvent } from "./payment-event.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { addEndpoint, openStores } from "./service.ts";

const shared = useSharedServers();
const soon = 10_000;
const monotonicMs = () => performance.now();

/**
 * A leased endpoint that has read its store. Its receiver always counts as quick. Its monotonic clock
 * stands still unless the test moves it, so its lease does not end on a slow machine.
 */
async function startQuick(receiver: Receiver) {
  const stores = await openStores(inOwnNamespace(shared));
  const { queues, deliveries, service } = stores;
  const { clock, log } = service;
  const businessid = newId();
  const endpoint = await addEndpoint(stores, businessid, receiver.url);
  const rules = { allowLoopback: true, httpsOnly: false, resolve: createResolver() };
  const sender = createSender({ ...rules, timeoutMs: 10_000, clock, uptimeMs: monotonicMs });
  onTestFinished(() => sender.close());
  let uptimeMs = 0;
  const deliveryDeps: DeliveryDeps = {
    ...stores,
    sender,
    recorder: createRecorder(deliveries, log),
    metrics: { count: () => undefined, setLeased: () => undefined },
    latency: { add: () => undefined, quickMs: () => Infinity },
    clock,
    uptimeMs: () => uptimeMs,
    tracer: undefined,
    delaysMs: [5_000],
    random: Math.random,
    log,
  };
  await queues.mark([{ endpointid: endpoint.id, enabled: true }], new Date());
  const [queue] = await queues.claim(new Date(), 1);
  if (!queue) throw new Error("no other worker claims");
  const running = new RunningEndpoint(deliveryDeps, queue, {
    claimedAtMs: 0,
    onEnd: () => undefined,
  });
  running.dispatch({ kind: "woken" });
  await eventually(() => expect(isIdle(running.state)).toBe(true), soon);
  const firstAttempts = createFirstAttempts(deliveryDeps, new Map([[endpoint.id, running]]));
  const announce = () => running.dispatch({ kind: "woken" });
  return {
    deps: { ...stores, firstAttempts },
    workers: { firstAttempts, announce, uptimeMs: monotonicMs },
    running,
    businessid,
    make: makerOf(endpoint),
    passMs: (milliseconds: number) => {
      uptimeMs += milliseconds;
    },
  };
}

function makerOf({ id: endpointid, businessid }: { id: string; businessid: string }) {
  return (): NewDelivery => ({
    id: newId(),
    businessid,
    endpointid,
    eventid: `evt_${newId()}`,
    type: "payment.completed",
    resourceid: newId(),
    sequence: 1,
    body: "{}",
    dueat: new Date(),
    createdat: new Date(),
  });
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** The first append to the log fails. */
function failingOnce(stores: Stores): Stores {
  const { log } = stores;
  let failuresLeft = 1;
  const append: typeof log.append = (events, now) => {
    failuresLeft -= 1;
    return failuresLeft >= 0 ? Promise.reject(new Error("crashed")) : log.append(events, now);
  };
  return { ...stores, log: { ...log, append } };
}

function write(fanOut: FanOut, events: readonly TestEvent[]): Promise<void> {
  return fanOut(events as Parameters<FanOut>[0], new Date());
}

describe("a first attempt", () => {
  it("is made before its delivery is stored, and stored together with it", async () => {
    const receiver = await startReceiver();
    const { deps, businessid, make } = await startQuick(receiver);
    const deliveries = [make(), make(), make(), make(), make()];
    const foundInStore: unknown[] = [];
    receiver.answer(({ id }, response) => {
      const one = deliveries.find(({ eventid }) => eventid === id);
      void deps.deliveries.find(businessid, one?.id ?? "").then((found) => {
        foundInStore.push(found);
        response.end();
      });
    });
    const tried = await deps.firstAttempts.tryAtOnce(deliveries);
    expect(tried.left).toEqual([]);
    await tried.stored;
    for (const { id } of deliveries) {
      await eventually(async () => {
        const found = await deps.deliveries.find(businessid, id);
        expect(found).toMatchObject({ status: "delivered", attempts: 1, tries: 0, dueat: null });
        expect(found?.log).toMatchObject([{ status: 200, problem: null }]);
      }, soon);
    }
    expect(foundInStore).toHaveLength(5);
    expect(foundInStore.filter((found) => found !== null).length).toBeLessThanOrEqual(
      tried.slow.length,
    );
  });

  it("is stored as waiting for a retry when it fails", async () => {
    const receiver = await startReceiver();
    const { deps, businessid, make } = await startQuick(receiver);
    receiver.answer(500);
    const one = make();
    const tried = await deps.firstAttempts.tryAtOnce([one]);
    await tried.stored;
    const found = await deps.deliveries.find(businessid, one.id);
    expect(found).toMatchObject({ status: "pending", attempts: 1, tries: 1, version: 2 });
    expect(found?.dueat?.getTime()).toBeGreaterThan(Date.now());
    // A receiver that fails gets its deliveries from the store.
    const next = make();
    expect((await deps.firstAttempts.tryAtOnce([next])).left).toEqual([next]);
  });

  it("is stored as waiting when it takes long, and its outcome is stored later", async () => {
    const receiver = await startReceiver();
    const { deps, businessid, make } = await startQuick(receiver);
    const answers: (() => void)[] = [];
    receiver.answer((_, response) => answers.push(() => response.end()));
    const deliveries = [make(), make(), make(), make(), make(), make(), make()];
    const tried = await deps.firstAttempts.tryAtOnce(deliveries);
    await tried.stored;
    expect(tried.slow).toHaveLength(5);
    expect(tried.left).toHaveLength(2);
    const [one] = tried.slow;
    const id = one?.id ?? "";
    expect(await deps.deliveries.find(businessid, id)).toMatchObject({
      status: "pending",
      attempts: 0,
    });
    for (const answer of answers) answer();
    await eventually(async () => {
      const found = await deps.deliveries.find(businessid, id);
      expect(found).toMatchObject({ status: "delivered", attempts: 1, dueat: null });
    }, soon);
    expect(receiver.received).toHaveLength(5);
  });

  it("is not made by a process that has no lease on the endpoint", async () => {
    const receiver = await startReceiver();
    const { deps, make } = await startQuick(receiver);
    const other = { ...make(), endpointid: newId() };
    expect((await deps.firstAttempts.tryAtOnce([other])).left).toEqual([other]);
  });

  it("is not repeated for an event that comes again after a crash", async () => {
    const receiver = await startReceiver();
    const { deps, workers, businessid } = await startQuick(receiver);
    const events = [paymentEvent(businessid), paymentEvent(businessid)];
    await expect(write(createFanOut(failingOnce(deps), workers), events)).rejects.toThrow(
      "crashed",
    );
    const later = paymentEvent(businessid);
    await write(createFanOut(deps, workers), [...events, later]);
    await eventually(() => expect(receiver.ids.size).toBe(3), soon);
    expect(receiver.received).toHaveLength(3);
  });

  it("is not repeated for any of 250 events when some were under way at the crash", async () => {
    const receiver = await startReceiver();
    const { deps, workers, businessid } = await startQuick(receiver);
    const events = Array.from({ length: 250 }, () => paymentEvent(businessid));
    const fanOut = createFanOut(failingOnce(deps), workers);
    await expect(write(fanOut, events)).rejects.toThrow("crashed");
    await write(fanOut, events);
    await eventually(() => expect(receiver.ids.size).toBe(250), soon);
    expect(receiver.received).toHaveLength(250);
  });

  it("is not repeated when a failed batch comes again one event at a time", async () => {
    const receiver = await startReceiver();
    const { deps, workers, businessid } = await startQuick(receiver);
    const events = Array.from({ length: 20 }, () => paymentEvent(businessid));
    const fanOut = createFanOut(failingOnce(deps), workers);
    await expect(write(fanOut, events)).rejects.toThrow("crashed");
    for (const event of events) await write(fanOut, [event]);
    await eventually(() => expect(receiver.ids.size).toBe(20), soon);
    expect(receiver.received).toHaveLength(20);
  });

  it("has ended or is stored before a failed batch is reported", async () => {
    const receiver = await startReceiver();
    const { deps, workers, businessid } = await startQuick(receiver);
    const events = Array.from({ length: 250 }, () => paymentEvent(businessid));
    const { deliveries } = deps;
    let calls = 0;
    const known: typeof deliveries.known = (ids) => {
      calls += 1;
      return calls === 2 ? Promise.reject(new Error("away")) : deliveries.known(ids);
    };
    const fanOut = createFanOut({ ...deps, deliveries: { ...deliveries, known } }, workers);
    await expect(write(fanOut, events)).rejects.toThrow("away");
    await write(fanOut, events);
    await eventually(() => expect(receiver.ids.size).toBe(250), soon);
    expect(receiver.received).toHaveLength(250);
  });

  it("is not made for a disabled endpoint that the worker still takes for enabled", async () => {
    const receiver = await startReceiver();
    const { deps, workers, running, businessid } = await startQuick(receiver);
    const now = new Date();
    await deps.endpoints.update(businessid, running.endpointid, { now }, (found) =>
      ok({ entity: disableEndpoint(found, "You disabled it", now), events: [] }),
    );
    const event = paymentEvent(businessid);
    await write(createFanOut(deps, workers), [event]);
    const id = deliveryIdOf(event.id, running.endpointid);
    expect(await deps.deliveries.find(businessid, id)).toMatchObject({ attempts: 0 });
    expect(receiver.received).toEqual([]);
  });

  it("is left to the next owner of the lease when its delivery becomes due while idle", async () => {
    const receiver = await startReceiver();
    const { deps, running, make } = await startQuick(receiver);
    // As a failed attempt of long ago left it: no message will say when it is due.
    await deps.deliveries.insert([{ ...make(), dueat: new Date(Date.now() + 1_000) }]);
    running.dispatch({ kind: "woken" });
    await eventually(async () => {
      running.dispatch({ kind: "idleChecked", hasRoom: true, quickMs: Infinity });
      expect(await deps.queues.read(running.endpointid)).toMatchObject({ owner: "" });
    }, soon);
    expect(receiver.received).toEqual([]);
  });

  it("is followed by a release when the endpoint has been idle for a second", async () => {
    const receiver = await startReceiver();
    const { deps, running, make, passMs } = await startQuick(receiver);
    const tried = await deps.firstAttempts.tryAtOnce([make()]);
    await tried.stored;
    await eventually(() => expect(isIdle(running.state)).toBe(true), soon);
    const checkIdle = () =>
      running.dispatch({ kind: "idleChecked", hasRoom: false, quickMs: Infinity });
    passMs(999);
    checkIdle();
    expect(running.state.phase).toBe("serving");
    passMs(1);
    checkIdle();
    await eventually(() => expect(running.state.phase).toBe("released"), soon);
    expect(await deps.queues.read(running.endpointid)).toMatchObject({ owner: "" });
  });
});
