import {
  countUntold,
  eventually,
  freshNamespace,
  startNatsServer,
  useSharedServers,
} from "@malipo/testing";
import { MongoNetworkError, MongoServerError, ObjectId } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { firstEvents } from "../src/events.ts";
import { newId } from "../src/id.ts";
import { type Service, sweepEvents } from "../src/service.ts";
import { beginTelling, written } from "../src/telling.ts";
import { ticketOf } from "../src/ticket.ts";
import type { BookDocument } from "../src/present-book.ts";
import { cause, eventOf, newNote, openNotes } from "./notes.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();

function ownNamespace() {
  return { ...shared, namespace: freshNamespace() };
}

function booksOf({ store }: Service) {
  return store.db.collection<BookDocument>("ticketbooks");
}

/** The clock of somebody for whom everything so far was long enough ago. */
const tenSecondsOn = () => new Date(Date.now() + 10_000);

describe("tickets", () => {
  it("say who has been published: by their own book at once, by that of another when it is kept", async () => {
    const servers = ownNamespace();
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
    const servers = ownNamespace();
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
    const service = await openTestService(ownNamespace(), tenSecondsOn);
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
    const service = await openTestService(ownNamespace());
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
    const service = await openTestService(ownNamespace());
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
    const service = await openTestService(ownNamespace());
    const { tickets } = service.relay;
    const book = await tickets.present.open();
    await booksOf(service).deleteOne({ _id: book.id });
    tickets.done(book.draw());
    await eventually(async () => expect((await tickets.present.open()).id).not.toBe(book.id));
  });

  it("of records that were written again since are not waited for", async () => {
    const service = await openTestService(ownNamespace());
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
});
