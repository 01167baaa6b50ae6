import { addMs, hourMs, minuteMs, ok, secondMs } from "@malipo/core";
import {
  crashAtEachWrite,
  createStreams,
  eventually,
  inOwnNamespace,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { acquireReaderLease } from "../src/consuming/reader-lease.ts";
import { newId, openCodes, openNumbering } from "../src/mongo/index.ts";
import { countUnpublishedRecords, reconciliationOf } from "../src/outbox/index.ts";
import { parkedReconciliations, reconcileStep, retryParked } from "../src/reconciliation/index.ts";
import { type Records, VersionConflict } from "../src/records/index.ts";
import { openBusinessViews } from "../src/rpc/index.ts";
import { newView, updated } from "./business-events.ts";
import { cause, eventOf, type Note, newNote, openNotes } from "./notes.ts";
import { sweepBeside } from "./outbox-parts.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();
let proxy: StoreProxy;

beforeAll(async () => {
  proxy = await startStoreProxy(shared.mongodbUri);
});
afterAll(() => proxy.close());

const before = { side: "before" } as const;
const aMinuteLater = () => addMs(cause.now, minuteMs);
/** For this clock a process that has just died has been silent for long enough to be swept. */
const tenSecondsAhead = () => new Date(Date.now() + 10 * secondMs);

/** Two processes of a service: a test interrupts the writes of `own`, and lets those of `other` win. */
async function openBoth() {
  const servers = inOwnNamespace(shared);
  await createStreams(servers);
  const own = await openTestService({ ...servers, mongodbUri: proxy.mongodbUri });
  const other = await openTestService(servers);
  onTestFinished(() => proxy.forget());
  const [notes, others] = await Promise.all([openNotes(own), openNotes(other)]);
  return { own, other, notes, others };
}

async function append(notes: Records<Note>, { businessid, id }: Note, text: string) {
  return notes.updateWithRetry(businessid, id, cause, (found) => {
    const entity = { ...found, text: `${found.text}${text}` };
    return { entity, events: [eventOf(entity)] };
  });
}

function titlesOf(events: readonly { readonly data: unknown }[]): string[] {
  return events.map(({ data }) => (data as { title: string }).title);
}

describe("records that another process writes between the read and the write", () => {
  it("keep both changes, with their events in order, when an update for an event meets a conflict", async () => {
    const { own, notes, others } = await openBoth();
    const note = newNote(newId(), "");
    await notes.insert(note, [], cause);
    for (const text of ["a", "b", "c"]) {
      const won = proxy.interrupt({ ...before, pattern: { collection: "notes" } }, () =>
        append(others, note, text),
      );
      await append(notes, note, text.toUpperCase());
      await won;
    }
    expect((await others.find(note.businessid, note.id))?.entity.text).toBe("aAbBcC");
    await eventually(async () => {
      const events = (await readStream(own)).filter(({ recordid }) => recordid === note.id);
      expect(titlesOf(events.toSorted((one, next) => one.seq - next.seq))).toEqual(
        Array.from("aAbBcC", (_, index) => "aAbBcC".slice(0, index + 1)),
      );
    });
  });

  it("are decided again by an update that loses ten times", async () => {
    const { notes, others } = await openBoth();
    const note = newNote(newId(), "");
    await notes.insert(note, [], cause);
    for (let nth = 1; nth <= 10; nth += 1) {
      void proxy.interrupt({ ...before, nth, pattern: { collection: "notes" } }, () =>
        append(others, note, "."),
      );
    }
    expect(await append(notes, note, "!")).toMatchObject({ text: "..........!" });
  });

  it("keep one change of an operation that two requests make at once", async () => {
    const { notes, others } = await openBoth();
    const note = newNote(newId(), "");
    await notes.insert(note, [], cause);
    const rename = (to: Records<Note>) =>
      to.update(note.businessid, note.id, { ...cause, operationid: "one" }, (found) =>
        ok({ entity: { ...found, text: `${found.text}!` }, events: [] }),
      );
    const won = proxy.interrupt(before, () => rename(others));
    await expect(rename(notes)).rejects.toThrow(VersionConflict);
    await won;
    expect(await rename(notes)).toEqual(ok({ ...note, text: "!" }));
  });

  it("are one record when two requests of one operation insert at once", async () => {
    const { own, notes, others } = await openBoth();
    const [first, second] = [newNote(newId(), "first"), newNote(newId(), "second")];
    const creating = { ...cause, operationid: newId() };
    const won = proxy.interrupt(before, () => others.insert(first, [eventOf(first)], creating));
    const late = { ...second, businessid: first.businessid };
    expect(await notes.insert(late, [eventOf(late)], creating)).toEqual(first);
    await won;
    await own.outbox.flush();
    const { businessid } = first;
    expect(await others.findMany(businessid, {}, { sort: { _id: 1 }, limit: 9 })).toEqual([first]);
    await eventually(async () => expect(titlesOf(await readStream(own))).toEqual(["first"]));
  });

  it("are reported by a save of many, which saves the others with their events", async () => {
    const { own, notes, others } = await openBoth();
    const businessid = newId();
    const made = ["a", "b", "c"].map((text) => ({ ...newNote(businessid), text }));
    for (const note of made) await notes.insert(note, [], cause);
    const [, lost] = made;
    if (!lost) throw new Error("there are three");
    const changes = [];
    for (const { id } of made) {
      const found = await notes.find(businessid, id);
      if (!found) throw new Error("the note is there");
      const entity = { ...found.entity, text: `${found.entity.text}2` };
      changes.push({ before: found, change: { entity, events: [eventOf(entity)] }, cause });
    }
    const won = proxy.interrupt(before, () => append(others, lost, "1"));
    expect(await notes.saveMany(changes)).toEqual(new Set([lost.id]));
    await won;
    const stored = await others.findMany(businessid, {}, { sort: { _id: 1 }, limit: 9 });
    expect(stored.map(({ text }) => text)).toEqual(["a2", "b1", "c2"]);
    await eventually(async () =>
      expect(titlesOf(await readStream(own)).toSorted()).toEqual(["a2", "b1", "c2"]),
    );
  });
});

/** An event that must be reconciled. Its data does not matter here. */
function billed({ text }: Note) {
  return { ...eventOf(newNote(newId(), text)), type: "subscription.billed" } as never;
}

async function billedNote() {
  const both = await openBoth();
  const note = { ...newNote(newId()), bucket: 0 };
  await both.notes.insert(note, [billed(note)], cause);
  return { ...both, note };
}

describe("a reconciliation during which another process saves the record", () => {
  const now = addMs(cause.now, hourMs);
  const buckets = [0];

  it.each([
    ["has arrived", false],
    ["is missing", true],
  ])("checks the new event as well when the earlier one %s", async (_, isMissing) => {
    const { own, notes, others, note } = await billedNote();
    const asked: string[][] = [];
    const reconcile = (at: Date) =>
      reconcileStep(
        {
          service: own,
          collection: notes.collection,
          wanted: "invoice",
          missingOf: async (events) => {
            asked.push(titlesOf(events.map(({ event }) => event)));
            return ok(new Set(isMissing ? events.map(({ event }) => event.id) : []));
          },
        },
        { buckets, limit: 10, now: at },
      );
    const saveAnother = async () => {
      await others.updateWithRetry(note.businessid, note.id, { now }, (found) => {
        const entity = { ...found, text: "second" };
        return { entity, events: [billed(entity)] };
      });
    };
    const won = proxy.interrupt({ ...before, pattern: { collection: "notes" } }, saveAnother);
    await reconcile(now);
    await won;
    const found = await others.find(note.businessid, note.id);
    expect(found && reconciliationOf(found.eventState)).toMatchObject({ resent: 0 });
    await reconcile(addMs(now, hourMs));
    expect(asked).toEqual([["hello"], ["hello", "second"]]);
  });

  it("leaves a parked record alone that another process has changed", async () => {
    const { own, notes, others, note } = await billedNote();
    const _id = new ObjectId(note.id);
    const parked = { at: null, from: cause.now, resent: 8, parkedat: now, reason: "missing" };
    await notes.collection.updateOne({ _id }, { $set: { compare: parked } });
    const places = [parkedReconciliations(notes.collection)];
    const won = proxy.interrupt(before, () => append(others, note, "!"));
    expect(await retryParked(places, undefined, now)).toBe(0);
    await won;
    expect(await retryParked(places, undefined, now)).toBe(1);
    const found = await others.find(note.businessid, note.id);
    expect(found?.entity.text).toBe("hello!");
    expect(found && reconciliationOf(found.eventState)).toMatchObject({ resent: 0, at: now });
    await own.outbox.flush();
  });
});

describe("keys that two processes take at once", () => {
  it("codes are drawn again when another record has just got them", async () => {
    const { own, other } = await openBoth();
    const [businessid, recordid] = [newId(), newId()];
    const draws = ["taken", "free"];
    const won = proxy.interrupt(before, () =>
      openCodes(other).create([{ businessid, recordid: newId(), draw: () => "taken" }]),
    );
    const codes = openCodes(own);
    const wanted = { businessid, recordid, draw: () => draws.shift() ?? "" };
    expect(await codes.create([wanted])).toEqual(["free"]);
    await won;
    expect(await codes.find("free")).toEqual({ businessid, recordid });
    expect((await codes.find("taken"))?.recordid).not.toBe(recordid);
  });

  it("numbers are not taken twice when another process has just created the counter", async () => {
    const { own, other } = await openBoth();
    const businessid = newId();
    const won = proxy.interrupt(before, async () =>
      expect(await openNumbering(other, "INV").takeBlock(businessid, 2)).toHaveLength(2),
    );
    expect(await openNumbering(own, "INV").takeNext(businessid)).toBe("INV-000003");
    await won;
  });

  it("a reader's lease is held by one process, and renewed by none that has lost it", async () => {
    const { own, other } = await openBoth();
    const taken = Promise.withResolvers<Awaited<ReturnType<typeof acquireReaderLease>>>();
    const pattern = { collection: "followers" };
    const won = proxy.interrupt({ ...before, pattern }, async () =>
      taken.resolve(await acquireReaderLease(other.store.db, "reader", () => cause.now)),
    );
    expect(await acquireReaderLease(own.store.db, "reader", () => cause.now)).toBeUndefined();
    await won;
    const first = await taken.promise;
    first?.advance({ seq: 7, messageid: "seven" });
    expect(await first?.renew()).toBe(true);
    const next = await acquireReaderLease(own.store.db, "reader", aMinuteLater);
    expect(next?.position).toEqual({ seq: 7, messageid: "seven" });
    first?.advance({ seq: 8, messageid: "eight" });
    expect(await first?.renew()).toBe(false);
    await first?.end();
    expect(await next?.renew()).toBe(true);
  });

  it("a business view keeps the newest event when an older one is applied in between", async () => {
    const { own, other } = await openBoth();
    const view = newView("name");
    const apply = async (to: typeof own, seq: number) =>
      openBusinessViews(to).apply([updated(seq, { ...view, name: `name ${seq}` })]);
    for (const [seq, meanwhile, newest] of [
      [1, 2, 2],
      [4, 3, 4],
      [5, 6, 6],
    ] as const) {
      const won = proxy.interrupt(before, () => apply(other, meanwhile));
      await apply(own, seq);
      await won;
      const kept = await openBusinessViews(own).get(view._id);
      expect(kept).toMatchObject(ok({ name: `name ${newest}` }));
    }
  });
});

it("a process that dies at any write of a record leaves the events of what it saved, and no others", async () => {
  const { other, notes, others } = await openBoth();
  const sweep = sweepBeside(other, others.collection, { clock: tenSecondsAhead });
  const points = await crashAtEachWrite(proxy, {
    prepare: async () => newNote(newId(), ""),
    run: async (note) => {
      await notes.insert({ ...note, text: "a" }, [eventOf({ ...note, text: "a" })], cause);
      await append(notes, note, "b");
      await append(notes, note, "c");
    },
    runAgain: async () => {
      await sweep();
      await eventually(async () =>
        expect(await countUnpublishedRecords(other.store.db, "notes")).toBe(0),
      );
    },
    check: async (note) => {
      const stored = (await others.find(note.businessid, note.id))?.entity.text ?? "";
      const events = (await readStream(other)).filter(({ recordid }) => recordid === note.id);
      const byId = new Map(events.map((event) => [event.id, event]));
      expect(titlesOf([...byId.values()])).toEqual(
        Array.from(stored, (_, index) => stored.slice(0, index + 1)),
      );
    },
  });
  const commands = ["insert", "findAndModify", "findAndModify"];
  expect(points.map(({ write }) => write.command)).toEqual(
    commands.flatMap((command) => [command, command]),
  );
});
