import type { EventType } from "@malipo/contracts";
import {
  countUntold,
  eventually,
  inOwnNamespace,
  startNatsServer,
  useSharedServers,
} from "@malipo/testing";
import { MongoNetworkError, MongoServerError, ObjectId } from "mongodb";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { firstEvents } from "../src/outbox/event-document.ts";
import { newId } from "../src/mongo/new-id.ts";
import { type Service, sweepEvents } from "../src/service/service.ts";
import { beginTelling, written } from "../src/outbox/publication.ts";
import { openSweep } from "../src/outbox/sweep.ts";
import { numberOf, ticketOf } from "../src/outbox/outbox-position.ts";
import type { BookDocument } from "../src/outbox/current-publisher.ts";
import { cause, eventOf, newNote, type Note, openNotes } from "./notes.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();

function booksOf({ store }: Service) {
  return store.db.collection<BookDocument>("ticketbooks");
}

/** The clock of somebody for whom everything so far was long enough ago. */
const tenSecondsOn = () => new Date(Date.now() + 10_000);

const told = (entity: Note) => ({ entity, events: [eventOf(entity)] });

describe("tickets", () => {
  it("say who has been published: by their own book at once, by that of another when it is kept", async () => {
    const servers = inOwnNamespace(shared);
    const [one, other] = [await openTestService(servers), await openTestService(servers)];
    const { tickets } = one.relay;
    const book = await tickets.present.open();
    const [first, second] = [book.draw(), book.draw()];
    expect(await tickets.isTold(undefined)).toBe(true);
    expect(await tickets.isTold(first)).toBe(false);
    expect(await other.relay.tickets.isTold(first)).toBe(false);
    expect(tickets.done(first)).toBe(true);
    expect(await tickets.isTold(first)).toBe(true);
    await eventually(async () => expect(await other.relay.tickets.isTold(first)).toBe(true));
    expect(await other.relay.tickets.isTold(second)).toBe(false);
    expect(other.relay.tickets.done(second)).toBe(false);
    expect(await tickets.isTold(second)).toBe(false);
    tickets.done(second);
    await one.shutdown.begin("the end of a book of which nothing is left");
    expect(await booksOf(other).countDocuments()).toBe(0);
    expect(await other.relay.tickets.isTold(second)).toBe(true);
  });

  it("of a process that ended without a word are found by another, and their records marked", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const servers = inOwnNamespace(shared);
    const dying = await openTestService({ ...servers, natsUrl: nats.url });
    const notes = await openNotes(dying);
    await nats.kill();
    const made = [newNote(newId()), newNote(newId())];
    await Promise.all(made.map((note) => notes.insert(note, [eventOf(note)], cause)));
    const heir = await openTestService(servers, tenSecondsOn);
    sweepEvents(heir, [(await openNotes(heir)).collection]);
    await eventually(async () => expect(await countUntold(heir.store.db, "notes")).toBe(0));
    expect((await readStream(heir)).map(({ recordid }) => recordid).toSorted()).toEqual(
      made.map(({ id }) => id).toSorted(),
    );
    expect(
      await notes.collection.countDocuments({ published: 1, ticket: { $exists: false } }),
    ).toBe(2);
  });

  it("of a write of which nobody knows are looked for until they come", async () => {
    const service = await openTestService(inOwnNamespace(shared), tenSecondsOn);
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    const { tickets } = service.relay;
    const book = await tickets.present.open();
    const ticket = book.draw();
    tickets.present.putAside(book);
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    expect((await tickets.present.open()).id).not.toBe(book.id);
    await eventually(async () => expect(await readStream(service)).toHaveLength(1));
    // It comes about all the same, long after its writer gave it up.
    const late = newNote(newId());
    const _id = new ObjectId(late.id);
    await notes.collection.insertOne({ _id, ...firstEvents([eventOf(late)], cause, ticket) });
    await eventually(async () => expect(await readStream(service)).toHaveLength(2), 10_000);
    expect(await notes.collection.findOne({ _id })).not.toHaveProperty("ticket");
  });

  it("of a write that failed are looked for, and of one that may come yet for as long as it may", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { tickets } = service.relay;
    const fail = async (error: Error) => {
      const telling = await beginTelling(tickets, {}, [eventOf(newNote(newId()))]);
      const failing = written(tickets, [undefined, telling], () => Promise.reject(error));
      await expect(failing).rejects.toBe(error);
      return telling;
    };
    const refused = await fail(new MongoServerError({ message: "too large" }));
    expect(tickets.left).toEqual([refused?.ticket]);
    const unknown = await fail(new MongoNetworkError("the connection closed"));
    expect(unknown?.book.id).toBe(refused?.book.id);
    expect((await tickets.present.open()).id).not.toBe(refused?.book.id);
    const kept = async () => booksOf(service).findOne({ _id: refused?.book.id ?? "" });
    expect(await kept()).toMatchObject({ upto: 0 });
  });

  it("of what was never written hold nothing up", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    await expect(notes.insert(note, [eventOf(note)], cause)).rejects.toThrow(note.id);
    const { id, upto } = await service.relay.tickets.present.open();
    expect(upto).toBeLessThan(2);
    await eventually(async () =>
      expect(await booksOf(service).findOne({ _id: id })).toMatchObject({ upto: 2 }),
    );
    expect(await readStream(service)).toHaveLength(1);
  });

  it("are drawn from another book when somebody has forgotten the present one", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { tickets } = service.relay;
    const book = await tickets.present.open();
    await booksOf(service).deleteOne({ _id: book.id });
    tickets.done(book.draw());
    await eventually(async () => expect((await tickets.present.open()).id).not.toBe(book.id));
  });

  it("of records that were written again since are not waited for", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    const note = newNote(newId());
    const _id = new ObjectId(note.id);
    const { tickets } = service.relay;
    const ticket = (await tickets.present.open()).draw();
    tickets.leave(ticket);
    const another = ticketOf("5a17000000c0ffee", 1);
    await notes.collection.insertOne({ _id, ...firstEvents([eventOf(note)], cause, another) });
    sweepEvents(service, [notes.collection]);
    await eventually(async () => expect(await tickets.isTold(ticket)).toBe(true));
  });

  it.each(["alone", "with others"])(
    "of a record's older events are its newer one's business as long as those wait, saved %s",
    async (how) => {
      const service = await openTestService(inOwnNamespace(shared));
      const notes = await openNotes(service);
      const { tickets } = service.relay;
      const ticket = (await tickets.present.open()).draw();
      const { id, businessid, ...fields } = newNote(newId());
      const key = { _id: new ObjectId(id), businessid: new ObjectId(businessid) };
      const first = firstEvents([eventOf({ id, businessid, ...fields })], cause, ticket);
      await notes.collection.insertOne({ ...key, ...fields, version: 1, ...first });
      const change = async () => {
        const before = await notes.find(businessid, id);
        if (!before) throw new Error("it was inserted");
        const to = told(before.entity);
        if (how === "alone") await notes.save(before, to, cause);
        else await notes.saveMany([{ before, change: to, cause }]);
      };
      await change();
      expect(await notes.collection.findOne(key)).toMatchObject({ seq: 2, published: 0 });
      await eventually(async () =>
        expect((await readStream(service)).map(({ seq }) => seq)).toEqual([1, 2]),
      );
      // What is known to have been published is taken over by the next change.
      await service.relay.flush();
      await change();
      expect(await notes.collection.findOne(key)).toMatchObject({ seq: 3, published: 2 });
    },
  );

  it("of a record that is never quiet are marked on it, or it would grow for as long", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const book = await service.relay.tickets.present.open();
    const publish = async (count: number) => {
      const _id = new ObjectId();
      const news = Array.from({ length: count }, () => eventOf(newNote(newId())));
      const document = { _id, businessid: _id, ...firstEvents(news, cause, book.draw()) };
      await collection.insertOne(document);
      service.relay.hand(collection, document);
      await service.relay.flush();
      return collection.findOne({ _id });
    };
    expect(await publish(50)).toMatchObject({ published: 0, ticket: ticketOf(book.id, 1) });
    const marked = await publish(51);
    expect(marked).toMatchObject({ published: 51 });
    expect(marked).not.toHaveProperty("ticket");
  });

  it("of a book that was forgotten while its process slept are found all the same", async () => {
    const servers = inOwnNamespace(shared);
    const service = await openTestService(servers);
    const notes = await openNotes(service);
    const { tickets } = service.relay;
    const book = await tickets.present.open();
    const [published, onItsWay] = [book.draw(), book.draw()];
    await booksOf(service).deleteOne({ _id: book.id });
    const note = newNote(newId());
    const _id = new ObjectId(note.id);
    await notes.collection.insertOne({ _id, ...firstEvents([eventOf(note)], cause, onItsWay) });
    tickets.done(published);
    await eventually(async () => expect((await tickets.present.open()).id).not.toBe(book.id));
    const heir = await openTestService(servers);
    const round = openSweep([notes.collection], { ...heir, clock: tenSecondsOn });
    await eventually(async () => {
      await round();
      expect(await readStream(service)).toHaveLength(1);
    });
  });

  it("show that their process lives while one of them is at work, and never come less far", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const book = await service.relay.tickets.present.open();
    book.draw();
    const kept = async () => booksOf(service).findOne({ _id: book.id });
    const before = await kept();
    // As by a word that arrives late, or in this case early.
    await booksOf(service).updateOne({ _id: book.id }, { $set: { upto: 7 } });
    await eventually(async () =>
      expect((await kept())?.at.getTime()).toBeGreaterThan(before?.at.getTime() ?? Infinity),
    );
    expect(await kept()).toMatchObject({ upto: 7 });
  });

  it("are drawn from another book when the present one is full", async () => {
    const { relay } = await openTestService(inOwnNamespace(shared));
    const book = await relay.tickets.present.open();
    expect((await relay.tickets.present.open()).id).toBe(book.id);
    vi.spyOn(book, "isFull", "get").mockReturnValue(true);
    expect((await relay.tickets.present.open()).id).not.toBe(book.id);
  });

  it("are drawn from another book after a sleep, and when too many wait in the present one", async () => {
    const { relay } = await openTestService(inOwnNamespace(shared));
    const { tickets } = relay;
    const first = await tickets.present.open();
    const presentMs = performance.now();
    const now = vi.spyOn(performance, "now").mockReturnValue(presentMs + 31 * 60_000);
    onTestFinished(() => now.mockRestore());
    const second = await tickets.present.open();
    expect(second.id).not.toBe(first.id);
    for (let count = 0; count < 10_000; count += 1) tickets.leave(second.draw());
    expect(tickets.present.now?.id).toBe(second.id);
    tickets.leave(second.draw());
    expect(tickets.present.now).toBeUndefined();
  });

  it("keep their book in the store as long as one of them waits, also when its process ends", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { present } = service.relay.tickets;
    const book = await present.open();
    book.draw();
    await present.close();
    expect(await booksOf(service).findOne()).toMatchObject({ _id: book.id, upto: 0 });
  });

  it("for which there was no room wait for the sweep, and all others are done", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const { relay } = service;
    const book = await relay.tickets.present.open();
    const note = newNote(newId());
    const fields = { _id: new ObjectId(note.id), businessid: new ObjectId(note.businessid) };
    const { events } = firstEvents([eventOf(note)], cause, undefined);
    for (let seq = 1; seq <= 10_003; seq += 1) {
      const newest = events.map((event) => ({ ...event, seq }));
      const ticket = book.draw();
      relay.hand(collection, { ...fields, seq, published: seq - 1, ticket, events: newest });
    }
    expect(relay.tickets.left.map(numberOf)).toEqual([10_001, 10_002, 10_003]);
    await relay.flush();
    expect(book.upto).toBe(10_000);
  });

  it("of changes that came too late hold nothing up", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const notes = await openNotes(service);
    sweepEvents(service, [notes.collection]);
    const note = newNote(newId());
    await notes.insertMany([note, note].map((entity) => ({ ...told(entity), cause })));
    const before = await notes.find(note.businessid, note.id);
    if (!before) throw new Error("it was inserted");
    const change = { before, change: told(note), cause };
    expect([...(await notes.saveMany([change]))]).toEqual([]);
    expect([...(await notes.saveMany([change]))]).toEqual([note.id]);
    const book = await service.relay.tickets.present.open();
    await eventually(() => expect(book.isAllDone).toBe(true));
    expect(book.upto).toBe(4);
    expect((await readStream(service)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it("are forgotten with their book after an hour in which nothing of it was left", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const { collection } = await openNotes(service);
    const at = new Date(Date.now() - 60_000);
    const [empty, waiting] = ["5a17000000c0ffee", "5a17000000decaff"];
    await booksOf(service).insertMany([empty, waiting].map((_id) => ({ _id, upto: 0, at })));
    const { events, ...fields } = firstEvents(
      [eventOf(newNote(newId()))],
      cause,
      ticketOf(waiting, 1),
    );
    // No stream takes an event without a type.
    const typeless = events.map((event) => ({ ...event, type: "" as EventType }));
    await collection.insertOne({ _id: new ObjectId(), ...fields, events: typeless });
    const round = openSweep([collection], {
      ...service,
      clock: () => new Date(at.getTime() + 30_000),
    });
    const left = async () =>
      (await booksOf(service).find().toArray()).map(({ _id }) => _id).toSorted();
    await round();
    await round();
    expect(await left()).toEqual([empty, waiting]);
    const presentMs = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(presentMs + 61 * 60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    for (let nth = 0; nth < 30; nth += 1) await round();
    expect(await left()).toEqual([waiting]);
  });
});
