import { consumersOf, deadSubject, eventSubject, streamName } from "@malipo/contracts";
import { eventually, freshNamespace, startStore, useSharedServers } from "@malipo/testing";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { describe, expect, it, onTestFinished } from "vitest";
import { consumeEvents, type EventHandler } from "../src/consume.ts";
import { listDeadLetters, replayDeadLetter } from "../src/dead-letters.ts";
import { newId } from "../src/id.ts";
import type { Service } from "../src/service.ts";
import { cause, eventOf, newNote, openNotes } from "./notes.ts";
import { handlersFolder, openTestService, testHandlers } from "./test-service.ts";

const shared = useSharedServers();
const consumer = "gateway-on-product-created";

/** Refusals of a test need not be far apart, but their distance must grow. */
const refusalDelayMs = 20;

type Handler = EventHandler<"product.created">;

function ownNamespace() {
  return { ...shared, namespace: freshNamespace() };
}

async function consumeWith(service: Service, handler: Handler) {
  const handlers = testHandlers({ "on-product-created": handler });
  const contracts = consumersOf("gateway").map((contract) => ({ ...contract, refusalDelayMs }));
  await consumeEvents(service, handlersFolder, handlers, contracts);
}

async function publish(service: Service, texts: readonly string[]) {
  const notes = await openNotes(service);
  const businessid = newId();
  for (const text of texts) {
    const note = newNote(businessid, text);
    await notes.insert(note, [eventOf(note)], cause);
  }
}

async function pendingOf({ wire, config }: Service): Promise<number> {
  const manager = await jetstreamManager(wire.nats);
  const info = await manager.consumers.info(streamName(config.NAMESPACE, "event"), consumer);
  return info.num_pending + info.num_ack_pending;
}

describe("a consumer", () => {
  it("takes what was published before it and after, each acknowledged", async () => {
    const service = await openTestService(ownNamespace());
    const seen: string[] = [];
    await publish(service, ["a", "b"]);
    await consumeWith(service, async (events) => {
      seen.push(...events.map(({ data }) => data.title));
      return [];
    });
    await eventually(() => expect(seen.toSorted()).toEqual(["a", "b"]));
    await publish(service, ["c"]);
    await eventually(async () => {
      expect(seen.toSorted()).toEqual(["a", "b", "c"]);
      expect(await pendingOf(service)).toBe(0);
    });
  });

  it("works in batches when much is waiting", async () => {
    const service = await openTestService(ownNamespace());
    await publish(
      service,
      Array.from({ length: 60 }, (_, index) => String(index)),
    );
    await eventually(async () => {
      const manager = await jetstreamManager(service.wire.nats);
      const { state } = await manager.streams.info(streamName(service.config.NAMESPACE, "event"));
      expect(state.messages).toBe(60);
    });
    const sizes: number[] = [];
    await consumeWith(service, async (events) => {
      sizes.push(events.length);
      return [];
    });
    await eventually(() => expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60));
    expect(sizes.length).toBeLessThan(30);
  });

  it("tries a throwing batch one by one, sets only the culprit aside, and replays it", async () => {
    const service = await openTestService(ownNamespace());
    const done: string[] = [];
    let broken = true;
    const tries: number[] = [];
    await publish(service, ["good 1", "bad", "good 2"]);
    await consumeWith(service, async (events) => {
      const titles = events.map(({ data }) => data.title);
      if (broken && titles.includes("bad")) {
        if (titles.length === 1) tries.push(performance.now());
        throw new Error("cannot\ntake it");
      }
      done.push(...titles);
      return [];
    });
    await eventually(() => expect(done.toSorted()).toEqual(["good 1", "good 2"]));
    const [letter, ...others] = await eventually(async () => {
      const letters = await listDeadLetters(service.wire.nats, service.config.NAMESPACE);
      expect(letters).toHaveLength(1);
      return letters;
    });
    expect(others).toEqual([]);
    expect(tries).toHaveLength(5);
    // At the least half of 20, 60, 180 and 540 ms.
    expect((tries.at(-1) ?? 0) - (tries[0] ?? 0)).toBeGreaterThan(399);
    expect(letter).toMatchObject({ consumer, reason: "Error: cannot take it" });
    expect(letter?.body).toContain('"bad"');
    await eventually(async () => expect(await pendingOf(service)).toBe(0));

    broken = false;
    expect(
      await replayDeadLetter(service.wire.nats, service.config.NAMESPACE, letter?.seq ?? 0),
    ).toBe(true);
    await eventually(() => expect(done).toContain("bad"));
    expect(await listDeadLetters(service.wire.nats, service.config.NAMESPACE)).toEqual([]);
    expect(
      await replayDeadLetter(service.wire.nats, service.config.NAMESPACE, letter?.seq ?? 0),
    ).toBe(false);
  });

  it("sets aside what it cannot read, at once", async () => {
    const service = await openTestService(ownNamespace());
    await consumeWith(service, async () => []);
    const subject = eventSubject(service.config.NAMESPACE, "product.created");
    await jetstream(service.wire.nats).publish(subject, "not JSON");
    await jetstream(service.wire.nats).publish(
      subject,
      JSON.stringify({ id: "x", data: { title: 7 } }),
    );
    const letters = await eventually(async () => {
      const found = await listDeadLetters(service.wire.nats, service.config.NAMESPACE);
      expect(found).toHaveLength(2);
      return found;
    });
    for (const { reason } of letters) expect(reason).toMatch(/^unreadable/);
    expect(deadSubject("ns", consumer)).toBe(`ns.dead.${consumer}`);
  });

  it("waits while the store is away: nothing is lost, refused or set aside", async () => {
    const store = await startStore();
    onTestFinished(async () => void (await store.stop()));
    const service = await openTestService({ ...ownNamespace(), mongodbUri: store.url });
    const notes = await openNotes(service);
    const applied = service.store.db.collection<{ _id: string }>("applied");
    let tries = 0;
    const businessid = newId();
    const made = Array.from({ length: 5 }, () => newNote(businessid));
    for (const note of made) await notes.insert(note, [eventOf(note)], cause);
    await eventually(async () =>
      expect(await notes.collection.countDocuments({ published: 1 })).toBe(5),
    );

    await store.kill();
    await eventually(() => service.store.isAway(), 15_000);
    await consumeWith(service, async (events) => {
      tries += 1;
      await applied.bulkWrite(
        events.map(({ id }) => ({
          updateOne: { filter: { _id: id }, update: { $set: { done: true } }, upsert: true },
        })),
      );
      return [];
    });
    await eventually(async () => expect(await pendingOf(service)).toBe(5));
    expect(tries).toBe(0);
    await store.start();
    await eventually(async () => {
      expect(await applied.countDocuments()).toBe(5);
      expect(await pendingOf(service)).toBe(0);
    }, 20_000);
    expect(await listDeadLetters(service.wire.nats, service.config.NAMESPACE)).toEqual([]);
  });

  it("starts again when its durable was deleted", async () => {
    const service = await openTestService(ownNamespace());
    const seen: string[] = [];
    await consumeWith(service, async (events) => {
      seen.push(...events.map(({ data }) => data.title));
      return [];
    });
    await eventually(async () => expect(await pendingOf(service)).toBe(0));
    const manager = await jetstreamManager(service.wire.nats);
    await manager.consumers.delete(streamName(service.config.NAMESPACE, "event"), consumer);
    await publish(service, ["after"]);
    await eventually(() => expect(seen).toContain("after"), 25_000);
  });
});
