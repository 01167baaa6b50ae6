import { createSigningKey, ok } from "@malipo/core";
import { newId } from "@malipo/platform";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NewDelivery } from "../src/store/delivery-document.ts";
import { deliveryIdOf } from "../src/domain/delivery.ts";
import { disableEndpoint } from "../src/domain/endpoint.ts";
import { createFanOut, type FanOut } from "../src/workflows/fan-out.ts";
import { nameServers } from "../src/http/resolver.ts";
import { createSender } from "../src/http/send.ts";
import { createFirstAttempts } from "../src/delivery/first-attempts.ts";
import { holdEndpoint, type Serving } from "../src/domain/leased-endpoint.ts";
import { createRecorder } from "../src/delivery/recorder.ts";
import { restIfIdle, serve, stir } from "../src/delivery/run-endpoint.ts";
import { paymentEvent, type TestEvent } from "./payment-event.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { addEndpoint, openStores } from "./service.ts";

const shared = useSharedServers();
const soon = 10_000;

/** An endpoint in hand, whose receiver counts as quick whatever the machine does meanwhile. */
async function startQuick(receiver: Receiver) {
  const stores = await openStores(inOwnNamespace(shared));
  const { queues, deliveries, secrets, service } = stores;
  const businessid = newId();
  const endpoint = await addEndpoint(stores, businessid, receiver.url);
  const rules = { allowLoopback: true, httpsOnly: false };
  const sender = createSender({ ...rules, timeoutMs: 10_000, resolve: nameServers() });
  onTestFinished(() => sender.close());
  const serving: Serving = {
    ...stores,
    sender,
    recorder: createRecorder(deliveries, service.log),
    metrics: { count: () => undefined, held: () => undefined },
    pace: { note: () => undefined, quickMs: () => Infinity },
    clock: service.clock,
    tracer: undefined,
    delaysMs: [5_000],
    random: Math.random,
    log: service.log,
  };
  await queues.mark([{ endpointid: endpoint.id, enabled: true }], new Date());
  const [queue] = await queues.claim(new Date(), 1);
  if (!queue) throw new Error("nobody else claims");
  const held = Object.assign(
    holdEndpoint(queue, performance.now(), () => undefined),
    {
      endpoint,
      keys: secrets.open(endpoint, new Date()).map(createSigningKey),
      isStirred: false,
      lookedAtMs: performance.now(),
      seenAtMs: performance.now(),
      validUntilMs: Infinity,
    },
  );
  const firstAttempts = createFirstAttempts(serving, new Map([[endpoint.id, held]]));
  const workers = { firstAttempts, announce: () => stir(serving, held) };
  const deps = { ...stores, firstAttempts };
  return { deps, workers, serving, held, businessid, make: makerOf(endpoint) };
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

/** The log fails the first time that something is written to it. */
function failingOnce(stores: Stores): Stores {
  const { log } = stores;
  let left = 1;
  const append: typeof log.append = (events, now) => {
    left -= 1;
    return left >= 0 ? Promise.reject(new Error("crashed")) : log.append(events, now);
  };
  return { ...stores, log: { ...log, append } };
}

function write(fanOut: FanOut, events: readonly TestEvent[]): Promise<void> {
  return fanOut(events as Parameters<FanOut>[0], new Date());
}

describe("a first attempt", () => {
  it("is made before anything is written, and written with its delivery", async () => {
    const receiver = await startReceiver();
    const { deps, businessid, make } = await startQuick(receiver);
    const ones = [make(), make(), make(), make(), make()];
    const inStore: unknown[] = [];
    receiver.answer(({ id }, response) => {
      const one = ones.find(({ eventid }) => eventid === id);
      void deps.deliveries.find(businessid, one?.id ?? "").then((found) => {
        inStore.push(found);
        response.end();
      });
    });
    const tried = await deps.firstAttempts.tryAtOnce(ones);
    expect(tried.left).toEqual([]);
    await tried.written;
    for (const { id } of ones) {
      await eventually(async () => {
        const found = await deps.deliveries.find(businessid, id);
        expect(found).toMatchObject({ status: "delivered", attempts: 1, tries: 0, dueat: null });
        expect(found?.log).toMatchObject([{ status: 200, problem: null }]);
      }, soon);
    }
    expect(inStore).toHaveLength(5);
    expect(inStore.filter((found) => found !== null).length).toBeLessThanOrEqual(tried.slow.length);
  });

  it("that fails is written as one that waits for its next", async () => {
    const receiver = await startReceiver();
    const { deps, businessid, make } = await startQuick(receiver);
    receiver.answer(500);
    const one = make();
    await (
      await deps.firstAttempts.tryAtOnce([one])
    ).written;
    const found = await deps.deliveries.find(businessid, one.id);
    expect(found).toMatchObject({ status: "pending", attempts: 1, tries: 1, version: 2 });
    expect(found?.dueat?.getTime()).toBeGreaterThan(Date.now());
    // A receiver that fails is served from the store.
    const next = make();
    expect((await deps.firstAttempts.tryAtOnce([next])).left).toEqual([next]);
  });

  it("that takes long keeps nobody: it is written as waiting, and what came of it later", async () => {
    const receiver = await startReceiver();
    const { deps, businessid, make } = await startQuick(receiver);
    const answers: (() => void)[] = [];
    receiver.answer((_, response) => answers.push(() => response.end()));
    const ones = [make(), make(), make(), make(), make(), make(), make()];
    const tried = await deps.firstAttempts.tryAtOnce(ones);
    await tried.written;
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

  it("is not made by who does not have the endpoint", async () => {
    const receiver = await startReceiver();
    const { deps, make } = await startQuick(receiver);
    const other = { ...make(), endpointid: newId() };
    expect((await deps.firstAttempts.tryAtOnce([other])).left).toEqual([other]);
  });

  it("is not made again for an event that comes again after a crash", async () => {
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

  it("is not made again for any of many, some of which were under way", async () => {
    const receiver = await startReceiver();
    const { deps, workers, businessid } = await startQuick(receiver);
    const events = Array.from({ length: 250 }, () => paymentEvent(businessid));
    const fanOut = createFanOut(failingOnce(deps), workers);
    await expect(write(fanOut, events)).rejects.toThrow("crashed");
    await write(fanOut, events);
    await eventually(() => expect(receiver.ids.size).toBe(250), soon);
    expect(receiver.received).toHaveLength(250);
  });

  it("is not made again for any of a batch that failed and comes again one by one", async () => {
    const receiver = await startReceiver();
    const { deps, workers, businessid } = await startQuick(receiver);
    const events = Array.from({ length: 20 }, () => paymentEvent(businessid));
    const fanOut = createFanOut(failingOnce(deps), workers);
    await expect(write(fanOut, events)).rejects.toThrow("crashed");
    for (const event of events) await write(fanOut, [event]);
    await eventually(() => expect(receiver.ids.size).toBe(20), soon);
    expect(receiver.received).toHaveLength(20);
  });

  it("is over or written down before what failed meanwhile is told", async () => {
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

  it("is not made for an endpoint that is disabled, whatever the process that has it still believes", async () => {
    const receiver = await startReceiver();
    const { deps, workers, held, businessid } = await startQuick(receiver);
    const now = new Date();
    await deps.endpoints.change(businessid, held.endpointid, { now }, (found) =>
      ok({ entity: disableEndpoint(found, "You disabled it", now), events: [] }),
    );
    const event = paymentEvent(businessid);
    await write(createFanOut(deps, workers), [event]);
    const id = deliveryIdOf(event.id, held.endpointid);
    expect(await deps.deliveries.find(businessid, id)).toMatchObject({ attempts: 0 });
    expect(receiver.received).toEqual([]);
  });

  it("leaves on time what waits for its next, while the endpoint stays in hand", async () => {
    const receiver = await startReceiver();
    const { deps, serving, held, make } = await startQuick(receiver);
    // As an attempt of long ago left it; nobody will say that it is due.
    await deps.deliveries.insert([{ ...make(), dueat: new Date(Date.now() + 1_000) }]);
    stir(serving, held);
    await eventually(async () => {
      restIfIdle(serving, held, 60_000);
      expect(await deps.queues.read(held.endpointid)).toMatchObject({ owner: "" });
    }, soon);
  });

  it("is followed by rest, though its endpoint is looked after meanwhile", async () => {
    const receiver = await startReceiver();
    const { deps, serving, held, make } = await startQuick(receiver);
    await (
      await deps.firstAttempts.tryAtOnce([make()])
    ).written;
    await eventually(() => expect(held.busy.size).toBe(0), soon);
    held.idleSinceMs -= 60_000;
    serve(serving, held);
    restIfIdle(serving, held, 50_000);
    await eventually(async () => {
      expect(await deps.queues.read(held.endpointid)).toMatchObject({ owner: "" });
    }, soon);
  });
});
