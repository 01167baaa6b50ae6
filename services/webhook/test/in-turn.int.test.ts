import { addMs, hourMs, minuteMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { addFailed, dataOf, sendRequests } from "./send-requests.ts";
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
  const taken = await turns.take(endpoint, 20 + 599, now);
  expect(taken).toMatchObject({ ok: true });
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

describe("a repeated operation", () => {
  it("that resends a delivery takes no more turns and has no second effect", async () => {
    const { deliveries, businessid, turns, requests, ...opened } = await openEndpoint();
    const { id } = await addFailed({ deliveries }, opened.endpoint, { now, dueat: null });
    const operationid = newId();
    const first = dataOf(await requests.resend(id, operationid));
    for (let times = 0; times < 20; times += 1) {
      expect(dataOf(await requests.resend(id, operationid))).toEqual(first);
    }
    expect(await turns.take(opened.endpoint, 19, now)).toMatchObject({ ok: true });
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
    expect(stored.map(({ dueat }) => dueat)).toEqual(Array.from({ length: 20 }, () => new Date(0)));
    const next = dataOf(await requests.test());
    expect(next.nextattemptat).toBe(addMs(now, 100).toISOString());
  });

  it("is answered also while too many wait", async () => {
    const { endpoint, turns, requests, ...opened } = await openEndpoint();
    const { id } = await addFailed(opened, endpoint, { now, dueat: null });
    const [tested, resent] = [newId(), newId()];
    const first = [await requests.test(tested), await requests.resend(id, resent)];
    await turns.take(endpoint, 6_100, now);
    expect([await requests.test(tested), await requests.resend(id, resent)]).toEqual(first);
    const refusal = { error: { status: 503 } };
    expect(await requests.resend(id)).toMatchObject(refusal);
  });
});
