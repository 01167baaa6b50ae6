import { type EventType, streamName } from "@malipo/contracts";
import {
  countUntold,
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
import { newId } from "../src/mongo/new-id.ts";
import { NotOnStream } from "../src/outbox/not-on-stream.ts";
import { resendEvents } from "../src/outbox/resend.ts";
import { type Service, sweepEvents } from "../src/service/service.ts";
import { ensureStreams } from "../src/nats/streams.ts";
import { ticketOf } from "../src/outbox/outbox-position.ts";
import type { BookDocument } from "../src/outbox/current-publisher.ts";
import { cause, eventOf, newNote, openNotes } from "./notes.ts";
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

/** Of a process that had published nothing yet when it ended, some seconds ago. */
async function leftBehind({ store }: Service): Promise<(number: number) => ObjectId> {
  const _id = "5a17000000c0ffee";
  const at = new Date(cause.now.getTime() - 10_000);
  await store.db.collection<BookDocument>("ticketbooks").insertOne({ _id, upto: 0, at });
  return (number) => ticketOf(_id, number);
}

function untoldNotes({ store }: Service): Promise<number> {
  return countUntold(store.db, "notes");
}

async function resendAll(
  { relay }: Service,
  collections: readonly EventfulCollection[],
  since = new Date(0),
): Promise<number> {
  const step = { since: since.toISOString() };
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
    const service = await openTestService(inOwnNamespace(shared));
    const { made, notes } = await insertNotes(service, 50);
    await eventually(async () => expect(await untoldNotes(service)).toBe(0));
    const events = await readStream(service);
    expect(events).toHaveLength(100);
    // One word for all of them.
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

  it("catches up with what was saved while NATS was away", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const service = await openTestService(inOwnNamespace({ ...shared, natsUrl: nats.url }));
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    await nats.kill();
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    expect(await untoldNotes(service)).toBe(1);
    await nats.start();
    await eventually(async () => expect(await untoldNotes(service)).toBe(0), 20_000);
    expect((await readStream(service)).map(({ recordid }) => recordid)).toEqual([note.id]);
  });

  it("makes a lost stream again and fills it from the documents", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { notes } = await insertNotes(service, 10);
    await eventually(async () => expect(await untoldNotes(service)).toBe(0));
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

  it("marks what it publishes for others, only as far as it did, and never backwards", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const note = newNote(newId());
    const ticket = await leftBehind(service);
    const first = firstEvents([eventOf(note)], cause, ticket(1));
    const second = firstEvents([eventOf(note), eventOf(note)], cause, ticket(2));
    const _id = new ObjectId(note.id);
    // Two writes, as their processes held them: the newer state is the one in the store.
    await notes.collection.insertOne({ _id, ...second });
    service.relay.hand(notes.collection, { _id, ...first });
    await service.relay.flush();
    expect(await notes.collection.findOne({ _id })).toMatchObject({
      published: 1,
      ticket: ticket(2),
    });
    service.relay.hand(notes.collection, { _id, ...second });
    await service.relay.flush();
    service.relay.hand(notes.collection, { _id, ...first });
    await service.relay.flush();
    const marked = await notes.collection.findOne({ _id });
    expect(marked).toMatchObject({ published: 2 });
    expect(marked).not.toHaveProperty("ticket");
  });

  it("publishes before the service stops", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await insertNotes(service, 20);
    const reader = await openTestService({ ...shared, namespace: service.config.NAMESPACE });
    await service.shutdown.begin("test");
    expect(await readStream(reader)).toHaveLength(40);
    expect(await reader.store.db.collection("ticketbooks").countDocuments()).toBe(0);
  });

  it("leaves to its writer what was saved just now, by the service's own clock", async () => {
    const clock = settableClock(cause.now);
    const service = await openTestService(inOwnNamespace(shared), clock.now);
    const notes = await openNotes(service);
    const ticket = await leftBehind(service);
    const [old, young] = [newNote(newId()), newNote(newId())];
    const fields = (note: typeof young, now: Date, number: number) => ({
      _id: new ObjectId(note.id),
      ...firstEvents([eventOf(note)], { now }, ticket(number)),
    });
    const minuteAgo = new Date(cause.now.getTime() - 60_000);
    await notes.collection.insertMany([fields(old, minuteAgo, 1), fields(young, cause.now, 2)]);
    sweepEvents(service, [notes.collection]);
    const published = async () => (await readStream(service)).map(({ recordid }) => recordid);
    // Said at the end of a sweep, when all that it found has been tried.
    await eventually(() => expect(service.metrics.unpublishedOldestSeconds.value).toBe(60));
    expect(await published()).toEqual([old.id]);
    clock.advance(6_000);
    await eventually(async () => expect(await published()).toEqual([old.id, young.id]));
  });

  it("finds what a crash left among records that have nothing to publish", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const businessid = newId();
    await Promise.all(
      Array.from({ length: 250 }, async () => notes.insert(newNote(businessid), [], cause)),
    );
    const left = newNote(businessid);
    const ticket = await leftBehind(service);
    await notes.collection.insertOne({
      _id: new ObjectId(left.id),
      ...firstEvents([eventOf(left)], cause, ticket(7)),
    });
    sweepEvents(service, [notes.collection]);
    await eventually(async () => expect(await untoldNotes(service)).toBe(0));
    expect(await readStream(service)).toHaveLength(1);
  });

  it("is held up by nothing that cannot be published", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const ticket = await leftBehind(service);
    // No stream takes an event without a type: more of these than one look of the sweep holds.
    await notes.collection.insertMany(
      Array.from({ length: 210 }, (_, index) => {
        const news = [eventOf(newNote(newId()))];
        const { events, ...fields } = firstEvents(news, cause, ticket(index + 1));
        const typeless = events.map((event) => ({ ...event, type: "" as EventType }));
        return { _id: new ObjectId(), ...fields, events: typeless };
      }),
    );
    const left = newNote(newId());
    await notes.collection.insertOne({
      _id: new ObjectId(left.id),
      ...firstEvents([eventOf(left)], cause, ticket(211)),
    });
    sweepEvents(service, [notes.collection]);
    await eventually(async () =>
      expect((await readStream(service)).map(({ recordid }) => recordid)).toEqual([left.id]),
    );
  });

  it("publishes again only what happened since", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { notes, made } = await insertNotes(service, 2);
    const [changed] = made;
    const read = changed && (await notes.find(changed.businessid, changed.id));
    if (!read) throw new Error("the note is there");
    const now = new Date(cause.now.getTime() + 1_000);
    await notes.save(read, { entity: read.entity, events: [eventOf(read.entity)] }, { now });
    expect(await resendAll(service, [notes.collection], now)).toBe(1);
  });

  it("leaves nothing to the sweep of what it publishes again after a crash", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const left = newNote(newId());
    const ticket = await leftBehind(service);
    await notes.collection.insertOne({
      _id: new ObjectId(left.id),
      ...firstEvents([eventOf(left), eventOf(left)], cause, ticket(1)),
    });
    await resendAll(service, [notes.collection]);
    expect(await notes.collection.findOne()).toMatchObject({ published: 2 });
    expect(await untoldNotes(service)).toBe(0);
    expect(await readStream(service)).toHaveLength(2);
  });

  it("says so when the stream is not there to publish again to", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { notes } = await insertNotes(service, 1);
    await eventually(async () => expect(await untoldNotes(service)).toBe(0));
    const manager = await jetstreamManager(service.wire.nats);
    await manager.streams.delete(streamName(service.config.NAMESPACE, "event"));
    await expect(resendAll(service, [notes.collection])).rejects.toThrow(NotOnStream);
  });

  it("finds a stream as its contract has it, whatever it was before", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const manager = await jetstreamManager(service.wire.nats);
    const name = streamName(service.config.NAMESPACE, "event");
    const { config } = await manager.streams.info(name);
    await manager.streams.update(name, { ...config, max_age: config.max_age / 2 });
    await ensureStreams(service.wire.nats, service.config.NAMESPACE, 1);
    expect((await manager.streams.info(name)).config.max_age).toBe(config.max_age);
  });
});
