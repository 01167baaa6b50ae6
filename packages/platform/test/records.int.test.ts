import { ok } from "@malipo/core";
import { eventually, useSharedServers } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { VersionConflict } from "../src/records/index.ts";
import { newId, searchQuery } from "../src/mongo/index.ts";
import { cause, eventOf, newNote, openNotes } from "./notes.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";
import { countUnpublishedRecords } from "../src/outbox/index.ts";

const servers = useSharedServers();

describe("records", () => {
  it("are found by their own business only", async () => {
    const notes = await openNotes(await openTestService(servers));
    const note = newNote(newId());
    await notes.insert(note, [], cause);
    expect((await notes.find(note.businessid, note.id))?.entity).toEqual(note);
    expect(await notes.find(newId(), note.id)).toBeNull();
  });

  it("are not mixed up when 480 searches run at once", async () => {
    const notes = await openNotes(await openTestService(servers));
    const [one, other] = [newId(), newId()];
    const made = Array.from({ length: 120 }, (_, index) => newNote(index % 2 ? one : other));
    await Promise.all(made.map((note) => notes.insert(note, [], cause)));
    const asked = made.flatMap((note) => [
      [note.businessid, note.id, note] as const,
      [note.businessid === one ? other : one, note.id, undefined] as const,
      [note.businessid, note.id.toUpperCase(), note] as const,
      [note.businessid, newId(), undefined] as const,
    ]);
    const found = await Promise.all(asked.map(([businessid, id]) => notes.find(businessid, id)));
    expect(found.map((saved) => saved?.entity)).toEqual(asked.map(([, , note]) => note));
  });

  it("are paged newest first, each exactly once, when many were created at the same moment", async () => {
    const notes = await openNotes(await openTestService(servers));
    const businessid = newId();
    for (let index = 0; index < 25; index += 1) await notes.insert(newNote(businessid), [], cause);
    await notes.insert(newNote(newId()), [], cause);
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => notes.page(businessid, {}, { page, limit: 10 })),
    );
    const ids = pages.flatMap(({ entities }) => entities.map(({ id }) => id));
    expect(pages.map(({ entities }) => entities.length)).toEqual([10, 10, 5, 0]);
    expect(new Set(ids).size).toBe(25);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(pages[0]?.paging).toEqual({ total: 25, page: 1, limit: 10, pages: 3 });
  });

  it("are searched through an index that reads only the records of the page", async () => {
    const notes = await openNotes(await openTestService(servers));
    const businessid = newId();
    for (let index = 0; index < 60; index += 1) {
      const text = index % 20 === 0 ? "common RARE" : "common";
      await notes.insert(newNote(businessid, text), [], cause);
    }
    const examined = async (search: string) => {
      const business = new ObjectId(businessid);
      const { filter, sort } = await searchQuery(notes.collection, business, search, undefined);
      const plan = await notes.collection
        .find({ ...filter, businessid: business })
        .sort(sort)
        .limit(5)
        .explain("executionStats");
      return plan["executionStats"].totalDocsExamined;
    };
    expect(await examined("common")).toBe(5);
    expect(await examined("common rare")).toBe(3);
    expect(await examined("Rare? common common!")).toBe(3);
    expect(await examined("nowhere")).toBe(0);
    // A store that looks up the first word of the list gets the rarest word first.
    const business = new ObjectId(businessid);
    expect(await searchQuery(notes.collection, business, "common rare", undefined)).toMatchObject({
      filter: { words: { $all: ["rare", "common"] } },
    });
    const { entities, paging } = await notes.page(
      businessid,
      {},
      { page: 1, limit: 2, search: "rare" },
    );
    expect([entities.length, paging.total]).toEqual([2, 3]);
  });

  it("have an exact total in every page while they are few", async () => {
    const notes = await openNotes(await openTestService(servers));
    const businessid = newId();
    for (const total of [1, 2]) {
      await notes.insert(newNote(businessid), [], cause);
      const { paging } = await notes.page(businessid, {}, { page: 1, limit: 10 });
      expect(paging.total).toBe(total);
    }
  });

  it("reject a change of an outdated version and store nothing of it", async () => {
    const service = await openTestService(servers);
    const notes = await openNotes(service);
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);
    const first = await notes.find(note.businessid, note.id);
    const second = await notes.find(note.businessid, note.id);
    if (!first || !second) throw new Error("the note is there");
    await notes.save(first, { entity: { ...note, text: "one" }, events: [eventOf(note)] }, cause);
    const late = notes.save(
      second,
      { entity: { ...note, text: "two" }, events: [eventOf(note)] },
      cause,
    );
    await expect(late).rejects.toThrow(VersionConflict);
    const kept = await notes.find(note.businessid, note.id);
    expect(kept?.entity.text).toBe("one");
    expect(kept?.eventState.seq).toBe(2);
  });

  it("reject a change of an outdated version when neither change has events", async () => {
    const notes = await openNotes(await openTestService(servers));
    const note = newNote(newId());
    await notes.insert(note, [], cause);
    const first = await notes.find(note.businessid, note.id);
    const second = await notes.find(note.businessid, note.id);
    if (!first || !second) throw new Error("the note is there");
    await notes.save(first, { entity: { ...note, text: "one" }, events: [] }, cause);
    const late = notes.save(second, { entity: { ...note, text: "two" }, events: [] }, cause);
    await expect(late).rejects.toThrow(VersionConflict);
    expect((await notes.find(note.businessid, note.id))?.entity.text).toBe("one");
  });

  it("apply a repeated operation once, an insert as well as a change", async () => {
    const notes = await openNotes(await openTestService(servers));
    const creating = { ...cause, operationid: newId() };
    const [draft, repeated] = [newNote(newId()), newNote(newId())];
    const again = { ...repeated, businessid: draft.businessid };
    expect(await notes.insert(draft, [], creating)).toEqual(draft);
    expect(await notes.insert(again, [], creating)).toEqual(draft);
    const elsewhere = newNote(newId());
    expect(await notes.insert(elsewhere, [], creating)).toEqual(elsewhere);

    let decisions = 0;
    const rename = async (text: string, operationid?: string) =>
      notes.update(draft.businessid, draft.id, { ...cause, operationid }, (note) => {
        decisions += 1;
        return ok({ entity: { ...note, text }, events: [eventOf(note)] });
      });
    const changing = newId();
    expect(await rename("first", changing)).toEqual(ok({ ...draft, text: "first" }));
    expect(await rename("second")).toEqual(ok({ ...draft, text: "second" }));
    expect(await rename("first", changing)).toEqual(ok({ ...draft, text: "second" }));
    expect(decisions).toBe(2);
    expect((await notes.find(draft.businessid, draft.id))?.eventState.seq).toBe(2);
    expect(
      await notes.update(newId(), draft.id, cause, () => ok({ entity: draft, events: [] })),
    ).toBeNull();
  });

  it("remember the last twenty operations", async () => {
    const notes = await openNotes(await openTestService(servers));
    const note = newNote(newId());
    await notes.insert(note, [], cause);
    const operations = Array.from({ length: 25 }, () => newId());
    for (const operationid of operations) {
      await notes.update(note.businessid, note.id, { ...cause, operationid }, (entity) =>
        ok({ entity, events: [eventOf(entity)] }),
      );
    }
    expect((await notes.find(note.businessid, note.id))?.operations).toEqual(operations.slice(-20));
  });

  it("number their events without gap or repetition when eight writers change one record", async () => {
    const service = await openTestService(servers);
    const notes = await openNotes(service);
    const note = newNote(newId());
    await notes.insert(note, [eventOf(note)], cause);

    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let change = 0; change < 5; change += 1) {
        await saveUntilItFits(async () => {
          const read = await notes.find(note.businessid, note.id);
          if (!read) throw new Error("the note is there");
          const changed = { ...read.entity, text: `${writer}.${change}` };
          await notes.save(read, { entity: changed, events: [eventOf(changed)] }, cause);
        });
      }
    });
    await Promise.all(writers);

    const published = await eventually(async () => {
      const events = (await readStream(service)).filter(({ recordid }) => recordid === note.id);
      expect(events).toHaveLength(41);
      return events;
    });
    expect(published.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 41 }, (_, index) => index + 1),
    );
    await eventually(async () => {
      expect(await notes.collection.findOne({ "events.seq": 41 })).toMatchObject({ seq: 41 });
      expect(await countUnpublishedRecords(service.store.db, "notes")).toBe(0);
    });
  });
});

async function saveUntilItFits(save: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await save();
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
    }
  }
}
