import { addMs, hourMs, minuteMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { addFailed, sendRequests } from "./send-requests.ts";
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
