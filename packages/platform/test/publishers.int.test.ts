import { minuteMs } from "@malipo/core";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { openPublisherStore, type StoredPublisher } from "../src/outbox/stored-outbox.ts";
import { publishersBeside } from "./outbox-parts.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();

/** The service only lends its database: it writes nothing, so it has no publisher of its own. */
async function openStored() {
  const service = await openTestService(inOwnNamespace(shared));
  return { service, store: openPublisherStore(service.store.db) };
}

const storedIds = async (publishers: Promise<readonly StoredPublisher[]>) =>
  (await publishers).map(({ id }) => id);

describe("publishers", () => {
  it("know their own published positions at once, and another's once its watermark is stored", async () => {
    const { service, store } = await openStored();
    const [one, other] = [publishersBeside(service), publishersBeside(service)];
    const publisher = await one.open();
    const [first, second] = [publisher.reserve(), publisher.reserve()];
    expect(await one.isPublished(undefined)).toBe(true);
    expect(await one.isPublished(first)).toBe(false);
    expect(await other.isPublished(first)).toBe(false);
    expect(one.complete(first)).toBe(true);
    expect(await one.isPublished(first)).toBe(true);
    await eventually(async () => expect(await other.isPublished(first)).toBe(true));
    expect(await other.isPublished(second)).toBe(false);
    expect(other.complete(second)).toBe(false);
    expect(await one.isPublished(second)).toBe(false);
    one.complete(second);
    await one.close();
    expect(await store.findOthers(undefined)).toEqual([]);
    expect(await other.isPublished(second)).toBe(true);
  });

  it("reserve from another publisher after the current one was deleted in the store", async () => {
    const { service, store } = await openStored();
    const publishers = publishersBeside(service);
    const publisher = await publishers.open();
    await store.delete(publisher.id);
    publishers.complete(publisher.reserve());
    await eventually(async () => expect((await publishers.open()).id).not.toBe(publisher.id));
  });

  it("show a sign of life while a position is pending, and never lower the watermark", async () => {
    const { service, store } = await openStored();
    // The publisher is opened when the process has already run for longer than one is busy.
    const publisher = await publishersBeside(service, {
      uptimeMs: () => performance.now() + 2 * minuteMs,
    }).open();
    publisher.reserve();
    const stored = await store.find(publisher.id);
    if (!stored) throw new Error("the publisher is stored");
    // As if a delayed write arrived out of order.
    await store.raise({ ...stored, watermark: 7 });
    await eventually(async () => {
      const later = (await store.find(publisher.id))?.lastSignOfLife.getTime();
      expect(later).toBeGreaterThan(stored.lastSignOfLife.getTime());
    });
    expect(await store.find(publisher.id)).toMatchObject({ watermark: 7 });
  });

  it("reserve from another publisher when the current one is full", async () => {
    const { service } = await openStored();
    const publishers = publishersBeside(service, { positionsMax: 2 });
    const publisher = await publishers.open();
    publisher.reserve();
    expect((await publishers.open()).id).toBe(publisher.id);
    publisher.reserve();
    expect((await publishers.open()).id).not.toBe(publisher.id);
  });

  it("reserve from another publisher after the process slept for over half an hour", async () => {
    const { service } = await openStored();
    let sleptMs = 0;
    const publishers = publishersBeside(service, { uptimeMs: () => performance.now() + sleptMs });
    const publisher = await publishers.open();
    sleptMs = 31 * 60_000;
    expect((await publishers.open()).id).not.toBe(publisher.id);
  });

  it("abandon a publisher with more than 10,000 positions deferred to the sweep", async () => {
    const { service } = await openStored();
    const publishers = publishersBeside(service);
    const publisher = await publishers.open();
    for (let count = 0; count < 10_000; count += 1) publishers.deferToSweep(publisher.reserve());
    expect((await publishers.open()).id).toBe(publisher.id);
    publishers.deferToSweep(publisher.reserve());
    expect((await publishers.open()).id).not.toBe(publisher.id);
  });

  it("keep a publisher with a pending position in the store when the process stops", async () => {
    const { service, store } = await openStored();
    const publishers = publishersBeside(service);
    const publisher = await publishers.open();
    publisher.reserve();
    await publishers.close();
    expect(await store.find(publisher.id)).toMatchObject({ watermark: 0 });
    expect(await storedIds(store.findOthers(undefined))).toEqual([publisher.id]);
  });
});
