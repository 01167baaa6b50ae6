import { newId, VersionConflict } from "@malipo/platform";
import { createStreams, startStoreProxy, useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AttemptResult } from "../src/domain/delivery.ts";
import { changeEndpoint, deleteEndpoint, rotateSecret } from "../src/domain/endpoint.ts";
import { createFanOut } from "../src/workflows/fan-out.ts";
import { changeFoundEndpoint } from "../src/workflows/find-endpoint.ts";
import { paymentEvent } from "./payment-event.ts";
import { addEndpoint, openStores } from "./service.ts";

const servers = useSharedServers();
const now = new Date("2026-11-22T08:00:00Z");
const proxy = await startStoreProxy(servers.mongodbUri);
beforeAll(() => createStreams(servers));
afterAll(() => proxy.close());
const beforeWriteOf = (collection: string, nth = 1) =>
  ({ side: "before", nth, pattern: { collection } }) as const;

/** Two processes: a test interrupts the writes of `own`, and lets those of `other` win. */
async function openBoth() {
  const own = await openStores({ ...servers, mongodbUri: proxy.mongodbUri });
  const other = await openStores(servers);
  const businessid = newId();
  return { own, other, businessid, endpoint: await addEndpoint(other, businessid, "http://a/") };
}

it("a webhook that is deleted while it is enabled again stays deleted", async () => {
  const { own, other, businessid, endpoint } = await openBoth();
  const record = { businessid, id: endpoint.id, cause: { now } };
  const enable = async () =>
    changeFoundEndpoint(own.endpoints, record, (found) => ({
      ok: true,
      value: changeEndpoint(found, { enabled: true }, now),
    }));
  const won = proxy.interrupt(beforeWriteOf("endpoints"), async () =>
    changeFoundEndpoint(other.endpoints, record, (found) => ({
      ok: true,
      value: deleteEndpoint(found, now),
    })),
  );
  await expect(enable()).rejects.toThrow(VersionConflict);
  await won;
  expect(await enable()).toMatchObject({ ok: false, error: { code: "not_found" } });
  expect(await other.endpoints.slotsTaken(businessid)).toEqual([]);
});

it("two rotations at once leave both new secrets valid", async () => {
  const { own, other, businessid, endpoint } = await openBoth();
  const record = { businessid, id: endpoint.id, cause: { now } };
  const rotate = async (stores: typeof own, secret: string) =>
    changeFoundEndpoint(stores.endpoints, record, (found) => rotateSecret(found, secret, now));
  const won = proxy.interrupt(beforeWriteOf("endpoints"), async () => rotate(other, "theirs"));
  await expect(rotate(own, "ours")).rejects.toThrow(VersionConflict);
  await won;
  await rotate(own, "ours");
  const found = await other.endpoints.find(businessid, endpoint.id);
  expect(found?.entity.secrets.map(({ sealed }) => sealed).slice(0, 2)).toEqual(["ours", "theirs"]);
});

it("an attempt that two processes add late to the log of a delivery is in it once", async () => {
  const { own, other, businessid, endpoint } = await openBoth();
  const fan = createFanOut(other, {
    // Without leases of its own, so the delivery waits.
    firstAttempts: { tryAtOnce: async (left) => ({ left, slow: [], stored: Promise.resolve() }) },
    announce: () => undefined,
    uptimeMs: () => performance.now(),
  });
  await fan([paymentEvent(businessid)] as Parameters<typeof fan>[0], now);
  const [delivery] = await own.deliveries.due(endpoint.id, now, { except: [], limit: 1 });
  if (!delivery) throw new Error("a delivery is due");
  // It was resent meanwhile, so the outcome is not stored and the attempt only noted.
  await other.deliveries.resend(businessid, delivery.id, { now });
  const result: AttemptResult = {
    delivery,
    attempt: { id: newId(), at: now, milliseconds: 1, status: 500, problem: "no", response: "" },
    outcome: { status: "failed", tries: 3, dueat: null, problem: "no", failedat: now },
  };
  const won = proxy.interrupt(beforeWriteOf("deliveries", 2), async () =>
    other.deliveries.record([result]),
  );
  await own.deliveries.record([result]);
  await won;
  const found = await other.deliveries.find(businessid, delivery.id);
  expect(found).toMatchObject({ status: "pending", attempts: 1, log: [{ id: result.attempt.id }] });
});
