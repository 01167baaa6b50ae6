import { type EventType, streamName } from "@malipo/contracts";
import {
  eventually,
  inOwnNamespace,
  settableClock,
  startNatsServer,
  useSharedServers,
} from "@malipo/testing";
import { jetstreamManager } from "@nats-io/jetstream";
import { ObjectId } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { type EventfulCollection, firstEvents } from "../src/outbox/event-document.ts";
import { newId } from "../src/mongo/index.ts";
import { NotOnStream, resendEvents, countUnpublishedRecords } from "../src/outbox/index.ts";
import { type Service, sweepEvents } from "../src/service/service.ts";
import { storedPosition } from "../src/outbox/stored-outbox.ts";
import { cause, eventOf, newNote, openNotes } from "./notes.ts";
import { crashedPublisher, publishersBeside, relayBeside } from "./outbox-parts.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();

async function insertNotes(service: Service, count: number) {
  const notes = await openNotes(service);
  const businessid = newId();
  const made = Array.from({ length: count }, (_, index) => newNote(businessid, `note ${index}`));
  await Promise.all(made.map((note) => notes.insert(note, [eventOf(note), eventOf(note)], cause)));
  return { notes, made };
}

function countUnpublishedNotes({ store }: Service): Promise<number> {
  return countUnpublishedRecords(store.db, "notes");
}

async function resendAll(
  service: Service,
  collections: readonly EventfulCollection[],
  since = new Date(0),
): Promise<number> {
  const step = { since: since.toISOString() };
  let { sent, cursor } = await resendEvents(collections, service.outbox, step);
  while (cursor) {
    const next = await resendEvents(collections, service.outbox, { ...step, cursor });
    sent += next.sent;
    cursor = next.cursor;
  }
  return sent;
}

describe("the relay and the sweep", () => {
  it("publish each event of saved records once, in the order of its record", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { made, notes } = await insertNotes(service, 50);
    await eventually(async () => expect(await countUnpublishedNotes(service)).toBe(0));
    const events = await readStream(service);
    expect(events).toHaveLength(100);
    // The watermark covers them all; no record was written a second time.
    expect(await notes.collection.countDocuments({ published: 0 })).toBe(50);
    for (const { id, businessid } of made) {
      const own = events.filter(({ recordid }) => recordid === id);
      expect(own.map(({ seq }) => seq)).toEqual([1, 2]);
      expect(own[0]).toMatchObject({
        type: "product.created",
        businessid,
        at: cause.now.toISOString(),
      });
    }
  });

  it("publish what was saved while NATS was away when it is back", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const service = await openTestService(inOwnNamespace({ ...shared, natsUrl: nats.url }));
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    await nats.kill();
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    expect(await countUnpublishedNotes(service)).toBe(1);
    await nats.start();
    await eventually(async () => expect(await countUnpublishedNotes(service)).toBe(0), 20_000);
    expect((await readStream(service)).map(({ recordid }) => recordid)).toEqual([note.id]);
  });

  it("recreate a lost stream, and a resend fills it from the records", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { notes } = await insertNotes(service, 10);
    await eventually(async () => expect(await countUnpublishedNotes(service)).toBe(0));
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

  it("mark a record of another publisher up to the events they published, and never lower", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const note = newNote(newId());
    const positionAt = await crashedPublisher(service.store.db, cause.now);
    const relay = relayBeside(service, publishersBeside(service));
    const first = firstEvents([eventOf(note)], cause, positionAt(1));
    const second = firstEvents([eventOf(note), eventOf(note)], cause, positionAt(2));
    const _id = new ObjectId(note.id);
    // Two states of the record, as two processes saved them; the store has the newer one.
    await notes.collection.insertOne({ _id, ...second });
    relay.enqueue(notes.collection, { _id, ...first });
    await relay.flush();
    expect(await notes.collection.findOne({ _id })).toMatchObject({
      published: 1,
      ...storedPosition(positionAt(2)),
    });
    relay.enqueue(notes.collection, { _id, ...second });
    await relay.flush();
    relay.enqueue(notes.collection, { _id, ...first });
    await relay.flush();
    const marked = await notes.collection.findOne({ _id });
    expect(marked).toMatchObject({ published: 2 });
    expect(marked).not.toHaveProperty("ticket");
  });

  it("publish all saved events before the service stops", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await insertNotes(service, 20);
    const reader = await openTestService({ ...shared, namespace: service.config.NAMESPACE });
    await service.shutdown.begin("test");
    expect(await readStream(reader)).toHaveLength(40);
    expect(await reader.store.db.collection("ticketbooks").countDocuments()).toBe(0);
  });

  it("leave records younger than five seconds to their writer", async () => {
    const clock = settableClock(cause.now);
    const service = await openTestService(inOwnNamespace(shared), clock.now);
    const notes = await openNotes(service);
    const positionAt = await crashedPublisher(service.store.db, cause.now);
    const [old, young] = [newNote(newId()), newNote(newId())];
    const fields = (note: typeof young, now: Date, number: number) => ({
      _id: new ObjectId(note.id),
      ...firstEvents([eventOf(note)], { now }, positionAt(number)),
    });
    const minuteAgo = new Date(cause.now.getTime() - 60_000);
    await notes.collection.insertMany([fields(old, minuteAgo, 1), fields(young, cause.now, 2)]);
    sweepEvents(service, [notes.collection]);
    const published = async () => (await readStream(service)).map(({ recordid }) => recordid);
    // The gauge is set at the end of a round, after publication of all found records was tried.
    await eventually(() => expect(service.metrics.unpublishedOldestSeconds.value).toBe(60));
    expect(await published()).toEqual([old.id]);
    clock.advance(6_000);
    await eventually(async () => expect(await published()).toEqual([old.id, young.id]));
  });

  it("publish the one record that a crash left among 250 others", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const businessid = newId();
    await Promise.all(
      Array.from({ length: 250 }, async () => notes.insert(newNote(businessid), [], cause)),
    );
    const left = newNote(businessid);
    const positionAt = await crashedPublisher(service.store.db, cause.now);
    await notes.collection.insertOne({
      _id: new ObjectId(left.id),
      ...firstEvents([eventOf(left)], cause, positionAt(7)),
    });
    sweepEvents(service, [notes.collection]);
    await eventually(async () => expect(await countUnpublishedNotes(service)).toBe(0));
    expect(await readStream(service)).toHaveLength(1);
  });

  it("publish a record behind 210 others that cannot be published", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const positionAt = await crashedPublisher(service.store.db, cause.now);
    // No stream takes an event without a type; 210 are more than one batch of the sweep.
    await notes.collection.insertMany(
      Array.from({ length: 210 }, (_, index) => {
        const news = [eventOf(newNote(newId()))];
        const { events, ...fields } = firstEvents(news, cause, positionAt(index + 1));
        const untyped = events.map((event) => ({ ...event, type: "" as EventType }));
        return { _id: new ObjectId(), ...fields, events: untyped };
      }),
    );
    const left = newNote(newId());
    await notes.collection.insertOne({
      _id: new ObjectId(left.id),
      ...firstEvents([eventOf(left)], cause, positionAt(211)),
    });
    sweepEvents(service, [notes.collection]);
    await eventually(async () =>
      expect((await readStream(service)).map(({ recordid }) => recordid)).toEqual([left.id]),
    );
  });

  it("resend only the events since the given moment", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { notes, made } = await insertNotes(service, 2);
    const [changed] = made;
    const read = changed && (await notes.find(changed.businessid, changed.id));
    if (!read) throw new Error("the note is there");
    const now = new Date(cause.now.getTime() + 1_000);
    await notes.save(read, { entity: read.entity, events: [eventOf(read.entity)] }, { now });
    expect(await resendAll(service, [notes.collection], now)).toBe(1);
  });

  it("leave nothing to the sweep after a resend of records that a crash left", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const left = newNote(newId());
    const positionAt = await crashedPublisher(service.store.db, cause.now);
    await notes.collection.insertOne({
      _id: new ObjectId(left.id),
      ...firstEvents([eventOf(left), eventOf(left)], cause, positionAt(1)),
    });
    await resendAll(service, [notes.collection]);
    expect(await notes.collection.findOne()).toMatchObject({ published: 2 });
    expect(await countUnpublishedNotes(service)).toBe(0);
    expect(await readStream(service)).toHaveLength(2);
  });

  it("reject a resend with NotOnStream when the stream is missing", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { notes } = await insertNotes(service, 1);
    await eventually(async () => expect(await countUnpublishedNotes(service)).toBe(0));
    const manager = await jetstreamManager(service.wire.nats);
    await manager.streams.delete(streamName(service.config.NAMESPACE, "event"));
    await expect(resendAll(service, [notes.collection])).rejects.toThrow(NotOnStream);
  });
});
