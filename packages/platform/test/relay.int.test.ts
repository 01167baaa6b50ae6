import { streamName } from "@malipo/contracts";
import { eventually, freshNamespace, startNatsServer, useSharedServers } from "@malipo/testing";
import { jetstreamManager } from "@nats-io/jetstream";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EventfulCollection } from "../src/events.ts";
import { newId } from "../src/id.ts";
import { resendEvents } from "../src/resend.ts";
import { type Service, sweepEvents } from "../src/service.ts";
import { cause, eventOf, newNote, openNotes } from "./notes.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();

function ownNamespace() {
  return { ...shared, namespace: freshNamespace() };
}

async function insertNotes(service: Service, count: number) {
  const notes = await openNotes(service);
  const businessid = newId();
  const made = Array.from({ length: count }, (_, index) => newNote(businessid, `note ${index}`));
  await Promise.all(made.map((note) => notes.insert(note, [eventOf(note), eventOf(note)], cause)));
  return { notes, made };
}

async function resendAll(
  { relay }: Service,
  collections: readonly EventfulCollection[],
): Promise<number> {
  const step = { since: new Date(0).toISOString() };
  let { sent, cursor } = await resendEvents(collections, relay, step);
  while (cursor) {
    const next = await resendEvents(collections, relay, { ...step, cursor });
    sent += next.sent;
    cursor = next.cursor;
  }
  return sent;
}

describe("the relay", () => {
  it("publishes what was saved, each event once and a record's in their order", async () => {
    const service = await openTestService(ownNamespace());
    const { made, notes } = await insertNotes(service, 50);
    await eventually(async () =>
      expect(await notes.collection.countDocuments({ published: 2 })).toBe(50),
    );
    const events = await readStream(service);
    expect(events).toHaveLength(100);
    for (const { id, businessid } of made) {
      const own = events.filter(({ recordid }) => recordid === id);
      expect(own.map(({ seq }) => seq)).toEqual([1, 2]);
      expect(own[0]).toMatchObject({
        type: "product.created",
        businessid,
        at: cause.now.toISOString(),
      });
    }
    expect(await notes.collection.countDocuments({ unpublished: { $exists: true } })).toBe(0);
  });

  it("catches up with what was saved while NATS was away", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const service = await openTestService({ ...ownNamespace(), natsUrl: nats.url });
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    await nats.kill();
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    expect(await notes.collection.countDocuments({ published: 0 })).toBe(1);
    await nats.start();
    await eventually(
      async () => expect(await notes.collection.countDocuments({ published: 1 })).toBe(1),
      20_000,
    );
    expect((await readStream(service)).map(({ recordid }) => recordid)).toEqual([note.id]);
  });

  it("makes a lost stream again and fills it from the documents", async () => {
    const service = await openTestService(ownNamespace());
    const { notes } = await insertNotes(service, 10);
    await eventually(async () =>
      expect(await notes.collection.countDocuments({ published: 2 })).toBe(10),
    );
    const before = await readStream(service);
    const manager = await jetstreamManager(service.wire.nats);
    await manager.streams.delete(streamName(service.config.NAMESPACE, "event"));

    sweepEvents(service, [notes.collection]);
    const late = newNote(newId());
    await notes.insert(late, [eventOf(late)], cause);
    await eventually(async () => expect(await readStream(service)).toHaveLength(1), 20_000);

    const sent = await resendAll(service, [notes.collection]);
    expect(sent).toBe(21);
    const after = await readStream(service);
    expect(after.map(({ id }) => id).toSorted()).toEqual(
      [
        ...before.map(({ id }) => id),
        ...after.filter(({ recordid }) => recordid === late.id).map(({ id }) => id),
      ].toSorted(),
    );
  });
});
