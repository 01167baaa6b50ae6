import { setTimeout as sleep } from "node:timers/promises";
import type { EventType } from "@malipo/contracts";
import { eventually, inOwnNamespace, startNatsServer, useSharedServers } from "@malipo/testing";
import { MongoNetworkError, MongoServerError, ObjectId } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { newId } from "../src/mongo/index.ts";
import { type EventfulCollection, firstEvents } from "../src/outbox/event-document.ts";
import {
  openPublisherStore,
  positionOf,
  storedPosition,
  type StoredPublisher,
} from "../src/outbox/stored-outbox.ts";
import { type Service, sweepEvents } from "../src/service/service.ts";
import { cause, eventOf, newNote, type Note, openNotes } from "./notes.ts";
import { crashedPublisher, publishersBeside, relayBeside, sweepBeside } from "./outbox-parts.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";
import { countUnpublishedRecords } from "../src/outbox/index.ts";

const shared = useSharedServers();

/** A clock for which all that happened so far is old enough for a sweep. */
const tenSecondsAhead = () => new Date(Date.now() + 10_000);

const withEvent = (entity: Note) => ({ entity, events: [eventOf(entity)] });

async function storedPublishers({ store }: Service): Promise<StoredPublisher[]> {
  return openPublisherStore(store.db).findOthers(undefined);
}

async function insertNote(service: Service, collection: EventfulCollection, eventCount: number) {
  const _id = new ObjectId();
  const events = Array.from({ length: eventCount }, () => eventOf(newNote(newId())));
  await service.outbox.insert(collection, [{ events, cause }], async ([fields]) => {
    if (!fields) throw new Error("one record has one set of fields");
    const document = { _id, businessid: _id, ...fields };
    await collection.insertOne(document);
    return [document];
  });
  return _id;
}

describe("the outbox", () => {
  it("publishes what a crashed process left behind, and marks its records", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const servers = inOwnNamespace(shared);
    const crashing = await openTestService({ ...servers, natsUrl: nats.url });
    const notes = await openNotes(crashing);
    await nats.kill();
    const made = [newNote(newId()), newNote(newId())];
    await Promise.all(made.map((note) => notes.insert(note, [eventOf(note)], cause)));
    const successor = await openTestService(servers, tenSecondsAhead);
    sweepEvents(successor, [(await openNotes(successor)).collection]);
    await eventually(async () =>
      expect(await countUnpublishedRecords(successor.store.db, "notes")).toBe(0),
    );
    expect((await readStream(successor)).map(({ recordid }) => recordid).toSorted()).toEqual(
      made.map(({ id }) => id).toSorted(),
    );
    expect(
      await notes.collection.countDocuments({ published: 1, ticket: { $exists: false } }),
    ).toBe(2);
  });

  it("publishes a write of an abandoned publisher that appears late", async () => {
    const service = await openTestService(inOwnNamespace(shared), tenSecondsAhead);
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    const publishers = publishersBeside(service);
    const publisher = await publishers.open();
    const position = publisher.reserve();
    publishers.abandon(publisher);
    expect((await publishers.open()).id).not.toBe(publisher.id);
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    await eventually(async () => expect(await readStream(service)).toHaveLength(1));
    // The write reaches the database long after its writer gave it up.
    const late = newNote(newId());
    const _id = new ObjectId(late.id);
    await notes.collection.insertOne({ _id, ...firstEvents([eventOf(late)], cause, position) });
    await eventually(async () => expect(await readStream(service)).toHaveLength(2), 10_000);
    expect(await notes.collection.findOne({ _id })).not.toHaveProperty("ticket");
  });

  it("does not let a refused write block the watermark", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const error = new MongoServerError({ message: "too large" });
    const events = [eventOf(newNote(newId()))];
    const refused = service.outbox.insert(collection, [{ events, cause }], () =>
      Promise.reject(error),
    );
    await expect(refused).rejects.toBe(error);
    const [publisher] = await storedPublishers(service);
    expect(publisher).toMatchObject({ watermark: 0 });
    sweepEvents(service, [collection]);
    await eventually(async () =>
      expect(await storedPublishers(service)).toMatchObject([{ id: publisher?.id, watermark: 1 }]),
    );
  });

  it("abandons the publisher of a write whose outcome is unknown", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const error = new MongoNetworkError("the connection closed");
    const events = [eventOf(newNote(newId()))];
    // The first record of the call has no events, so only the second one has a position.
    const records = [
      { events: [], cause },
      { events, cause },
    ];
    const unknown = service.outbox.insert(collection, records, () => Promise.reject(error));
    await expect(unknown).rejects.toBe(error);
    const [abandoned] = await storedPublishers(service);
    sweepEvents(service, [collection]);
    const _id = await insertNote(service, collection, 1);
    const next = await collection.findOne({ _id });
    expect(next && positionOf(next)?.publisherId).not.toBe(abandoned?.id);
    await eventually(async () => expect(await readStream(service)).toHaveLength(1));
    const later = await storedPublishers(service);
    expect(later.find(({ id }) => id === abandoned?.id)).toMatchObject({ watermark: 0 });
  });

  it("does not let a duplicate insert block the watermark", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    await expect(notes.insert(note, [eventOf(note)], cause)).rejects.toThrow(note.id);
    await service.outbox.flush();
    // Three intervals of storing the watermark.
    await sleep(150);
    const [publisher] = await storedPublishers(service);
    expect(publisher?.watermark).toBeLessThan(2);
    sweepEvents(service, [notes.collection]);
    await eventually(async () =>
      expect(await storedPublishers(service)).toMatchObject([{ id: publisher?.id, watermark: 2 }]),
    );
    expect(await readStream(service)).toHaveLength(1);
  });

  it("does not let a record that was saved again since block the watermark", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const publishers = publishersBeside(service);
    const position = (await publishers.open()).reserve();
    publishers.deferToSweep(position);
    const newer = { publisherId: "5a17000000c0ffee", sequence: 1 };
    const events = [eventOf(newNote(newId()))];
    await collection.insertOne({ _id: new ObjectId(), ...firstEvents(events, cause, newer) });
    const sweepRound = sweepBeside(service, collection, { clock: service.clock }, publishers);
    await sweepRound();
    expect(await publishers.isPublished(position)).toBe(true);
  });

  it.each(["save", "saveMany"] as const)(
    "publishes unpublished older events of a record with its newer ones after %s",
    async (method) => {
      const service = await openTestService(inOwnNamespace(shared));
      const notes = await openNotes(service);
      const position = (await publishersBeside(service).open()).reserve();
      const { id, businessid, ...fields } = newNote(newId());
      const key = { _id: new ObjectId(id), businessid: new ObjectId(businessid) };
      const first = firstEvents([eventOf({ id, businessid, ...fields })], cause, position);
      await notes.collection.insertOne({ ...key, ...fields, version: 1, ...first });
      const change = async () => {
        const before = await notes.find(businessid, id);
        if (!before) throw new Error("it was inserted");
        const changed = withEvent(before.entity);
        if (method === "save") await notes.save(before, changed, cause);
        else await notes.saveMany([{ before, change: changed, cause }]);
      };
      await change();
      expect(await notes.collection.findOne(key)).toMatchObject({ seq: 2, published: 0 });
      await eventually(async () =>
        expect((await readStream(service)).map(({ seq }) => seq)).toEqual([1, 2]),
      );
      // The next change writes down that all earlier events are published.
      await service.outbox.flush();
      await change();
      expect(await notes.collection.findOne(key)).toMatchObject({ seq: 3, published: 2 });
    },
  );

  it("marks a record with more than 50 unpublished events, so that it cannot grow without end", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const publish = async (eventCount: number) => {
      const _id = await insertNote(service, collection, eventCount);
      await service.outbox.flush();
      return collection.findOne({ _id });
    };
    const unmarked = await publish(50);
    expect(unmarked).toMatchObject({ published: 0 });
    expect(unmarked && positionOf(unmarked)).toMatchObject({ sequence: 1 });
    const marked = await publish(51);
    expect(marked).toMatchObject({ published: 51 });
    expect(marked).not.toHaveProperty("ticket");
  });

  it("publishes the late write of a process whose publisher was deleted while it slept", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const publishers = publishersBeside(service);
    const publisher = await publishers.open();
    const [published, underWay] = [publisher.reserve(), publisher.reserve()];
    await openPublisherStore(service.store.db).delete(publisher.id);
    const events = [eventOf(newNote(newId()))];
    await collection.insertOne({ _id: new ObjectId(), ...firstEvents(events, cause, underWay) });
    publishers.complete(published);
    await eventually(async () => expect((await publishers.open()).id).not.toBe(publisher.id));
    const sweepRound = sweepBeside(service, collection, { clock: tenSecondsAhead });
    await eventually(async () => {
      await sweepRound();
      expect(await readStream(service)).toHaveLength(1);
    });
  });

  it("defers to the sweep what a full queue cannot take, and publishes the rest", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const publishers = publishersBeside(service);
    const relay = relayBeside(service, publishers);
    const publisher = await publishers.open();
    const note = newNote(newId());
    const key = { _id: new ObjectId(note.id), businessid: new ObjectId(note.businessid) };
    const { events } = firstEvents([eventOf(note)], cause, undefined);
    for (let seq = 1; seq <= 10_003; seq += 1) {
      const newest = events.map((event) => ({ ...event, seq }));
      const position = storedPosition(publisher.reserve());
      relay.enqueue(collection, { ...key, seq, published: seq - 1, ...position, events: newest });
    }
    expect(publishers.deferred.map(({ sequence }) => sequence)).toEqual([10_001, 10_002, 10_003]);
    await relay.flush();
    expect(publisher.watermark).toBe(10_000);
  });

  it("does not let a conflicting change block the watermark", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    const note = newNote(newId());
    await notes.insertMany([note, note].map((entity) => ({ ...withEvent(entity), cause })));
    const before = await notes.find(note.businessid, note.id);
    if (!before) throw new Error("it was inserted");
    const change = { before, change: withEvent(note), cause };
    expect([...(await notes.saveMany([change]))]).toEqual([]);
    expect([...(await notes.saveMany([change]))]).toEqual([note.id]);
    await eventually(async () =>
      expect(await storedPublishers(service)).toMatchObject([{ watermark: 4 }]),
    );
    expect((await readStream(service)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it("deletes a publisher that has been silent for an hour and has nothing left", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const { db } = service.store;
    const crashedAt = new Date(Date.now() - 60_000);
    const [empty, waiting] = ["5a17000000c0ffee", "5a17000000decaff"];
    await crashedPublisher(db, crashedAt, empty);
    const positionAt = await crashedPublisher(db, crashedAt, waiting);
    const { events, ...fields } = firstEvents([eventOf(newNote(newId()))], cause, positionAt(1));
    // No stream takes an event without a type, so this one is never published.
    const untyped = events.map((event) => ({ ...event, type: "" as EventType }));
    await collection.insertOne({ _id: new ObjectId(), ...fields, events: untyped });
    let aheadMs = 0;
    const sweepRound = sweepBeside(service, collection, {
      clock: () => new Date(crashedAt.getTime() + 20_000),
      uptimeMs: () => performance.now() + aheadMs,
    });
    const storedIds = async () => (await storedPublishers(service)).map(({ id }) => id);
    await sweepRound();
    await sweepRound();
    expect((await storedIds()).toSorted((one, other) => one.localeCompare(other))).toEqual([
      empty,
      waiting,
    ]);
    aheadMs = 61 * 60_000;
    for (let nth = 0; nth < 30; nth += 1) await sweepRound();
    expect(await storedIds()).toEqual([waiting]);
  });
});
