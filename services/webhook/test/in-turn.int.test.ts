import { signalSubject } from "@malipo/contracts";
import { addMs, hourMs, minuteMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { testDueAt } from "../src/store/deliveries.ts";
import { addFailed, dataOf, sendRequests, ways } from "./send-requests.ts";
import { addEndpoint, openStores } from "./service.ts";

const shared = useSharedServers();
const now = new Date("2026-11-22T08:00:00Z");

/** An enabled endpoint, and no worker: what is stored stays as it is. */
async function openEndpoint() {
  const stores = await openStores(inOwnNamespace(shared));
  const businessid = newId();
  const endpoint = await addEndpoint(stores, businessid, "http://127.0.0.1:9/");
  const dueAt = async (id: string) => (await stores.deliveries.find(businessid, id))?.dueat;
  return { ...stores, endpoint, businessid, dueAt, requests: sendRequests(stores, endpoint, now) };
}

type Opened = Awaited<ReturnType<typeof openEndpoint>>;

/** Takes turns until the next one is a minute away. */
async function takeTurnsOfAMinute({ turns, endpoint }: Opened): Promise<Date> {
  for (const each of [turns.tests, turns.resends]) {
    expect(await each.take(endpoint, 20 + 599, now)).toMatchObject({ ok: true });
  }
  return addMs(now, minuteMs);
}

describe("a resend", () => {
  it("makes no delivery later than it was due", async () => {
    const opened = await openEndpoint();
    const { requests, endpoint, dueAt } = opened;
    const turn = await takeTurnsOfAMinute(opened);
    const before = [now, addMs(now, 30_000), addMs(now, hourMs), null];
    for (const resend of [
      async (ids: readonly string[]) => {
        for (const id of ids) await requests.resend(id);
      },
      async () => void (await requests.resendFailed()),
    ]) {
      const ids: string[] = [];
      for (const dueat of before) ids.push((await addFailed(opened, endpoint, { now, dueat })).id);
      await resend(ids);
      const [first, second, ...turns] = await Promise.all(ids.map(dueAt));
      expect([first, second]).toEqual(before.slice(0, 2));
      for (const dueat of turns) {
        expect(dueat?.getTime()).toBeGreaterThanOrEqual(turn.getTime());
        expect(dueat?.getTime()).toBeLessThan(addMs(turn, 1_000).getTime());
      }
    }
  });
});

/** A receiver that rests for a minute, and whose endpoint no worker has. */
async function openResting() {
  const opened = await openEndpoint();
  const { queues, endpoint } = opened;
  await queues.mark([{ endpointid: endpoint.id, enabled: true }], now);
  const [lease] = await queues.claim(now, 1);
  if (!lease) throw new Error("the endpoint is free");
  const health = { ...lease.health, failures: 5, rests: 1, restuntil: addMs(now, minuteMs) };
  await queues.release({ ...lease, health }, { dueAt: null, isParked: false });
  const rests = async () => (await queues.read(endpoint.id))?.health.restuntil;
  return { ...opened, rests };
}

describe("the rest of a receiver", () => {
  it.each(ways)("ends with %s that is sent now", async (_name, send) => {
    const { requests, endpoint, rests, queues, ...opened } = await openResting();
    const { id } = await addFailed(opened, endpoint, { now, dueat: null });
    expect(await send(requests, id)).toMatchObject({ ok: true });
    expect(await rests()).toBeNull();
    expect(await queues.waitingSince(now)).toEqual(now);
  });

  it.each(ways)("goes on while %s waits for its turn", async (_name, send) => {
    const opened = await openResting();
    const turn = await takeTurnsOfAMinute(opened);
    const { id } = await addFailed(opened, opened.endpoint, { now, dueat: null });
    expect(await send(opened.requests, id)).toMatchObject({ ok: true });
    expect(await opened.rests()).toEqual(turn);
  });

  it("goes on when there is nothing to resend", async () => {
    const { requests, rests } = await openResting();
    expect(dataOf(await requests.resendFailed())).toEqual({ resent: 0, more: false });
    expect(await rests()).toEqual(addMs(now, minuteMs));
  });
});

describe("a repeated operation", () => {
  it("that resends a delivery takes no more turns and has no second effect", async () => {
    const { deliveries, businessid, turns, requests, ...opened } = await openEndpoint();
    const { id } = await addFailed({ deliveries }, opened.endpoint, { now, dueat: null });
    const operationid = newId();
    const first = dataOf(await requests.resend(id, operationid));
    for (let times = 0; times < 20; times += 1) {
      expect(dataOf(await requests.resend(id, operationid))).toEqual(first);
    }
    expect(await turns.resends.take(opened.endpoint, 19, now)).toMatchObject({ ok: true });
    expect(dataOf(await requests.resend(id)).nextattemptat).toBe(now.toISOString());
    expect((await deliveries.find(businessid, id))?.version).toBe(4);
  });

  it("that tests a webhook takes no more turns", async () => {
    const { endpoint, businessid, requests, deliveries } = await openEndpoint();
    const operationid = newId();
    const first = dataOf(await requests.test(operationid));
    for (let times = 0; times < 20; times += 1) {
      expect(dataOf(await requests.test(operationid))).toEqual(first);
    }
    for (let times = 0; times < 19; times += 1) await requests.test();
    const paging = { page: 1, limit: 100 };
    const stored = (await deliveries.page(businessid, endpoint.id, paging)).deliveries;
    expect(stored.map(({ dueat }) => dueat)).toEqual(Array.from({ length: 20 }, () => testDueAt));
    const next = dataOf(await requests.test());
    expect(next.nextattemptat).toBe(addMs(now, 100).toISOString());
  });

  it("is answered also while too many wait", async () => {
    const { endpoint, turns, requests, ...opened } = await openEndpoint();
    const { id } = await addFailed(opened, endpoint, { now, dueat: null });
    const [tested, resent] = [newId(), newId()];
    const first = [await requests.test(tested), await requests.resend(id, resent)];
    await turns.tests.take(endpoint, 6_100, now);
    await turns.resends.take(endpoint, 6_100, now);
    expect([await requests.test(tested), await requests.resend(id, resent)]).toEqual(first);
    const refusal = { error: { status: 503 } };
    expect([await requests.test(), await requests.resend(id)]).toMatchObject([refusal, refusal]);
    expect(await requests.resendFailed()).toMatchObject({ value: { data: { resent: 0 } } });
    await addFailed(opened, endpoint, { now, dueat: null });
    expect(await requests.resendFailed()).toMatchObject(refusal);
  });
});

describe("a test", () => {
  it("does not wait for resends, neither their turns nor themselves", async () => {
    const opened = await openEndpoint();
    const { endpoint, businessid, requests, deliveries } = opened;
    for (let times = 0; times < 60; times += 1) {
      await addFailed(opened, endpoint, { now, dueat: null });
    }
    const { id } = await addFailed(opened, endpoint, { now, dueat: null });
    const resent = dataOf(await requests.resend(id));
    expect(resent.nextattemptat).toBe(now.toISOString());
    expect(dataOf(await requests.resendFailed())).toEqual({ resent: 60, more: false });
    await opened.turns.resends.take({ id: newId(), businessid }, 1_000, now);

    const tested = dataOf(await requests.test());
    expect(tested.nextattemptat).toBe(now.toISOString());
    const [first] = await deliveries.due(endpoint.id, now, { except: [], limit: 1 });
    expect(first?.id).toBe(tested._id);
  });
});

describe("the workers", () => {
  it.each(ways)("hear at once of %s that is sent now", async (_name, send) => {
    const { requests, service, endpoint, ...opened } = await openEndpoint();
    const { id } = await addFailed(opened, endpoint, { now, dueat: null });
    const heard = Promise.withResolvers<unknown>();
    const { nats } = service.wire;
    nats.subscribe(signalSubject(service.config.NAMESPACE, "deliveries"), {
      callback: (_error, message) => heard.resolve(message.json()),
    });
    await nats.flush();
    await send(requests, id);
    expect(await heard.promise).toEqual([endpoint.id]);
  });

  it.each(ways)("find %s that waits when its turn comes", async (_name, send) => {
    const { requests, turns, queues, endpoint, ...opened } = await openEndpoint();
    const { id } = await addFailed(opened, endpoint, { now, dueat: null });
    for (const each of [turns.tests, turns.resends]) await each.take(endpoint, 29, now);
    await send(requests, id);
    expect(await queues.claim(addMs(now, 999), 1)).toEqual([]);
    expect(await queues.claim(addMs(now, 1_000), 1)).toMatchObject([{ endpointid: endpoint.id }]);
  });
});
