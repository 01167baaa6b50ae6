import { addMs, minuteMs } from "@malipo/core";
import { inOwnNamespace, startStoreProxy, useSharedServers } from "@malipo/testing";
import { afterAll, expect, it } from "vitest";
import { acquireReaderLease } from "../src/consuming/reader-lease.ts";
import { openPublisherStore } from "../src/outbox/stored-outbox.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();
const proxy = await startStoreProxy(shared.mongodbUri);
afterAll(() => proxy.close());
const now = new Date("2026-11-21T09:00:00Z");
const beforeWriteOf = (collection: string) =>
  ({ side: "before", pattern: { collection } }) as const;

/** Two processes of a service: a test interrupts the writes of `own`, and lets those of `other` win. */
async function openBoth() {
  const servers = inOwnNamespace(shared);
  const own = await openTestService({ ...servers, mongodbUri: proxy.mongodbUri });
  return { own: own.store.db, other: (await openTestService(servers)).store.db };
}

it.each(["renew", "end"] as const)(
  "a reader's lease that passes to another process before %s stays with it",
  async (write) => {
    const { own, other } = await openBoth();
    const lost = await acquireReaderLease(own, "reader", () => now);
    const theirs = Promise.withResolvers<Awaited<ReturnType<typeof acquireReaderLease>>>();
    const won = proxy.interrupt(beforeWriteOf("followers"), async () =>
      theirs.resolve(await acquireReaderLease(other, "reader", () => addMs(now, minuteMs))),
    );
    lost?.advance({ seq: 8, messageid: "eight" });
    expect(await lost?.[write]()).toBeFalsy();
    await won;
    expect(await (await theirs.promise)?.renew()).toBe(true);
    expect(await other.collection("followers").findOne()).not.toHaveProperty("seq");
  },
);

it("a publisher that shows a sign of life before it is deleted as dead is kept", async () => {
  const { own, other } = await openBoth();
  const silent = { id: "publisher", watermark: 3, lastSignOfLife: now };
  await openPublisherStore(other).insert(silent);
  const alive = { ...silent, watermark: 4, lastSignOfLife: addMs(now, 1) };
  const won = proxy.interrupt(beforeWriteOf("ticketbooks"), async () =>
    openPublisherStore(other).raise(alive),
  );
  await openPublisherStore(own).deleteUnchanged(silent);
  await won;
  expect(await openPublisherStore(own).find("publisher")).toEqual(alive);
});
