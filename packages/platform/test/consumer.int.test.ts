// Over 300 lines: all outcomes of a message stand in one place.
import {
  type ConsumerContract,
  consumerNameOf,
  deadSubject,
  eventSubject,
  streamName,
} from "@malipo/contracts";
import { setImmediate, setTimeout } from "node:timers/promises";
import { eventually, inOwnNamespace, startStore, useSharedServers } from "@malipo/testing";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { MongoNetworkError } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  consumeEvents,
  type EventHandler,
  listDeadLetters,
  replayDeadLetter,
} from "../src/consuming/index.ts";
import { newId } from "../src/mongo/index.ts";
import { ensureConsumer } from "../src/nats/index.ts";
import type { Service } from "../src/service/index.ts";
import { testConsumer } from "./contract.ts";
import { cause, envelopeOf, eventOf, newNote, openNotes } from "./notes.ts";
import { testEventHandlers, openTestService, samplesOf, testHandlers } from "./test-service.ts";
import { countUnpublishedRecords } from "../src/outbox/index.ts";

const shared = useSharedServers();
const consumer = consumerNameOf(testConsumer);

type Handler = EventHandler<"product.created">;

async function consumeWith(
  service: Service,
  handler: Handler,
  own: Partial<ConsumerContract> = {},
) {
  const handlers = testHandlers({ onProductCreated: handler });
  consumeEvents(service, testEventHandlers, handlers, [{ ...testConsumer, ...own }]);
}

async function publishInOneMessage({ wire, config }: Service, events: readonly unknown[]) {
  const subject = eventSubject(config.NAMESPACE, "product.created");
  await jetstream(wire.nats).publish(subject, JSON.stringify(events), { msgID: newId() });
}

const failAll: Handler = async (events) =>
  events.map(({ id, data }) => ({ event: id, reason: `not ${data.title}` }));

/** Resolves when the stream has stored all events. */
async function publish(service: Service, texts: readonly string[]) {
  const notes = await openNotes(service);
  const businessid = newId();
  for (const text of texts) {
    const note = newNote(businessid, text);
    await notes.insert(note, [eventOf(note)], cause);
  }
  await eventually(async () =>
    expect(await countUnpublishedRecords(service.store.db, "notes")).toBe(0),
  );
}

async function pendingOf({ wire, config }: Service): Promise<number> {
  const manager = await jetstreamManager(wire.nats);
  const info = await manager.consumers.info(streamName(config.NAMESPACE, "event"), consumer);
  return info.num_pending + info.num_ack_pending;
}

describe("a consumer", () => {
  it.each([
    [true, 2],
    [false, 1],
  ])(
    "with hasOverlappingBatches %s runs its handler on at most %i batches at once",
    async (hasOverlappingBatches, most) => {
      const service = await openTestService(inOwnNamespace(shared));
      const texts = Array.from({ length: 60 }, (_, index) => `note ${index}`);
      await publish(service, texts);
      const handled: string[] = [];
      let running = 0;
      let mostRunning = 0;
      const mostRun = Promise.withResolvers<void>();
      const handler: Handler = async (events) => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        if (running === most) mostRun.resolve();
        await mostRun.promise;
        // In this time one batch too many would begin.
        await setTimeout(20);
        running -= 1;
        handled.push(...events.map(({ data }) => data.title));
        return [];
      };
      await consumeWith(service, handler, { batchMax: 5, hasOverlappingBatches });
      await eventually(async () => expect(await pendingOf(service)).toBe(0));
      expect(handled.toSorted()).toEqual(texts.toSorted());
      expect(mostRunning).toBe(most);
    },
  );

  it("handles and acks events that were published before and after its start", async () => {
    const service = await openTestService(inOwnNamespace(shared));
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

  it("handles waiting events in batches", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await publish(
      service,
      Array.from({ length: 60 }, (_, index) => String(index)),
    );
    const sizes: number[] = [];
    await consumeWith(service, async (events) => {
      sizes.push(events.length);
      return [];
    });
    await eventually(() => expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(60));
    expect(sizes.length).toBeLessThan(30);
  });

  it("tries the events of a throwing batch one by one, dead-letters only the failing one, and replays it", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const done: string[] = [];
    let broken = true;
    const attemptsMs: number[] = [];
    await publish(service, ["good 1", "bad", "good 2"]);
    await consumeWith(service, async (events) => {
      const titles = events.map(({ data }) => data.title);
      if (broken && titles.includes("bad")) {
        if (titles.length === 1) attemptsMs.push(performance.now());
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
    expect(attemptsMs).toHaveLength(5);
    // The delays are at least half of 20, 60, 180 and 540 ms.
    expect((attemptsMs.at(-1) ?? 0) - (attemptsMs[0] ?? 0)).toBeGreaterThan(399);
    expect(letter).toMatchObject({ consumer, reason: "Error: cannot take it" });
    expect(letter?.body).toContain('"bad"');
    await eventually(async () => expect(await pendingOf(service)).toBe(0));
    const ofConsumer = `messaging_consumer_group_name="${consumer}"`;
    expect(await samplesOf(service, /consumed_messages|redeliveries/)).toEqual([
      ...["done", "refused", "dead"].map((outcome, index) => {
        const labels = `${ofConsumer},outcome="${outcome}",service="gateway"`;
        return `messaging_client_consumed_messages_total{${labels}} ${[2, 4, 1][index]}`;
      }),
      `malipo_redeliveries_total{${ofConsumer},service="gateway"} 4`,
    ]);

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

  it("handles the events of a throwing batch one after the other", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const titles = Array.from({ length: 20 }, (_, index) => `note ${index}`);
    const steps: string[] = [];
    await consumeWith(service, async (events) => {
      const [only, second] = events;
      if (!only || second) throw new Error("too many");
      steps.push(`${only.data.title} begins`);
      await setImmediate();
      steps.push(`${only.data.title} ends`);
      return [];
    });
    await publishInOneMessage(service, titles.map(envelopeOf));
    await eventually(() => expect(steps).toHaveLength(40));
    expect(steps).toEqual(titles.flatMap((title) => [`${title} begins`, `${title} ends`]));
  });

  it("retries and dead-letters only the failed events of a message with several", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const handled: string[][] = [];
    await consumeWith(
      service,
      async (events) => {
        handled.push(events.map(({ data }) => data.title));
        return events
          .filter(({ data }) => data.title.startsWith("bad"))
          .map(({ id }) => ({ event: id, reason: "bad" }));
      },
      { attemptsMax: 3, batchMax: 2 },
    );
    const events = ["good 1", "bad 1", "good 2", "bad 2", "good 3"].map(envelopeOf);
    await publishInOneMessage(service, [...events, { id: "unreadable", type: "nothing" }]);
    await eventually(async () => expect(await pendingOf(service)).toBe(0));
    const bad = ["bad 1", "bad 1", "bad 1", "bad 2", "bad 2", "bad 2"];
    const good = ["good 1", "good 2", "good 3"];
    expect(handled.flat().toSorted()).toEqual([...bad, ...good]);
    expect(Math.max(...handled.map(({ length }) => length))).toBe(2);
    const letters = await listDeadLetters(service.wire.nats, service.config.NAMESPACE);
    expect(letters.map(({ event }) => event).toSorted()).toEqual(
      [events[1]?.id, events[3]?.id, "unreadable"].toSorted(),
    );
    const letter = letters.find(({ event }) => event === events[1]?.id);
    expect(JSON.parse(letter?.body ?? "")).toEqual(events[1]);
    handled.length = 0;
    await replayDeadLetter(service.wire.nats, service.config.NAMESPACE, letter?.seq ?? 0);
    await eventually(() => expect(handled[0]).toEqual(["bad 1"]));
  });

  it("dead-letters an empty list, and each unreadable entry of a list alone", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await consumeWith(service, async () => []);
    await publishInOneMessage(service, []);
    await publishInOneMessage(service, [null, 7, { id: "x" }]);
    await eventually(async () => {
      const letters = await listDeadLetters(service.wire.nats, service.config.NAMESPACE);
      expect(letters.map(({ body }) => body)).toEqual(["[]", "null", "7", '{"id":"x"}']);
      expect(await pendingOf(service)).toBe(0);
    });
  });

  it("dead-letters an unreadable message at once, without its content in the reason", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await consumeWith(service, async () => []);
    const subject = eventSubject(service.config.NAMESPACE, "product.created");
    await jetstream(service.wire.nats).publish(subject, '{"phone":"254712345678","x":oops}');
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
    // The reason is logged; only the dead letter itself holds the content.
    expect(letters[0]?.reason).not.toContain("5678");
    expect(deadSubject("ns", consumer)).toBe(`ns.dead.${consumer}`);
  });

  it("waits while the store is away, without a lost event, a failed attempt or a dead letter", async () => {
    const store = await startStore();
    onTestFinished(async () => void (await store.stop()));
    const service = await openTestService(inOwnNamespace({ ...shared, mongodbUri: store.url }));
    const notes = await openNotes(service);
    const applied = service.store.db.collection<{ _id: string }>("applied");
    let calls = 0;
    const businessid = newId();
    const created = Array.from({ length: 5 }, () => newNote(businessid));
    for (const note of created) await notes.insert(note, [eventOf(note)], cause);
    await eventually(async () =>
      expect(await countUnpublishedRecords(service.store.db, "notes")).toBe(0),
    );

    await store.kill();
    await eventually(() => service.store.isAway(), 15_000);
    const storeAwaySamples = async () => samplesOf(service, /store_away/);
    expect(await storeAwaySamples()).toEqual(['malipo_store_away{service="gateway"} 1']);
    await consumeWith(service, async (events) => {
      calls += 1;
      await applied.bulkWrite(
        events.map(({ id }) => ({
          updateOne: { filter: { _id: id }, update: { $set: { done: true } }, upsert: true },
        })),
      );
      return [];
    });
    await eventually(async () => expect(await pendingOf(service)).toBeGreaterThan(0));
    expect(calls).toBe(0);
    await store.start();
    await eventually(async () => {
      expect(await applied.countDocuments()).toBe(5);
      expect(await pendingOf(service)).toBe(0);
    }, 20_000);
    expect(await storeAwaySamples()).toEqual(['malipo_store_away{service="gateway"} 0']);
    expect(await listDeadLetters(service.wire.nats, service.config.NAMESPACE)).toEqual([]);
  });

  it("restarts when its durable consumer was deleted", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const seen: string[] = [];
    await consumeWith(service, async (events) => {
      seen.push(...events.map(({ data }) => data.title));
      return [];
    });
    const manager = await jetstreamManager(service.wire.nats);
    const stream = streamName(service.config.NAMESPACE, "event");
    await eventually(async () => {
      expect((await manager.consumers.info(stream, consumer)).num_waiting).toBeGreaterThan(0);
    });
    await manager.consumers.delete(stream, consumer);
    await publish(service, ["after"]);
    await eventually(() => expect(seen).toContain("after"), 25_000);
  });

  it("keeps its message when the handler runs longer than the ack wait", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await publish(service, ["slow"]);
    let calls = 0;
    const release = Promise.withResolvers<void>();
    await consumeWith(
      service,
      async () => {
        calls += 1;
        await release.promise;
        return [];
      },
      { ackWaitMs: 300 },
    );
    await eventually(() => calls === 1);
    // More than three ack waits pass; only time itself can be awaited here.
    await setTimeout(1_000);
    const manager = await jetstreamManager(service.wire.nats);
    const stream = streamName(service.config.NAMESPACE, "event");
    expect((await manager.consumers.info(stream, consumer)).num_redelivered).toBe(0);
    release.resolve();
    await eventually(async () => expect(await pendingOf(service)).toBe(0));
    expect(calls).toBe(1);
  });

  it("releases its messages to another process when it stops while the store is away", async () => {
    const store = await startStore();
    onTestFinished(async () => void (await store.stop()));
    const servers = inOwnNamespace(shared);
    const stopping = await openTestService({ ...servers, mongodbUri: store.url });
    const other = await openTestService(servers);
    await publish(other, ["a", "b"]);
    await store.kill();
    await eventually(() => stopping.store.isAway(), 15_000);
    await consumeWith(stopping, async () => []);
    await eventually(async () => {
      const manager = await jetstreamManager(other.wire.nats);
      const stream = streamName(other.config.NAMESPACE, "event");
      expect((await manager.consumers.info(stream, consumer)).num_ack_pending).toBe(2);
    });
    await stopping.shutdown.begin("test");
    const seen: string[] = [];
    await consumeWith(other, async (events) => {
      seen.push(...events.map(({ data }) => data.title));
      return [];
    });
    // Long before the ack wait of 30 s, after which the server would redeliver them anyway.
    await eventually(() => expect(seen.toSorted()).toEqual(["a", "b"]), 10_000);
  });

  it("does not count a broken connection to the store as a failed attempt", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await publish(service, ["a"]);
    let calls = 0;
    await consumeWith(
      service,
      async () => {
        calls += 1;
        if (calls < 4) throw new MongoNetworkError("connection closed");
        return [];
      },
      { attemptsMax: 1 },
    );
    await eventually(async () => {
      expect(calls).toBe(4);
      expect(await pendingOf(service)).toBe(0);
    });
    expect(await listDeadLetters(service.wire.nats, service.config.NAMESPACE)).toEqual([]);
  });

  it("does not terminate a message before its dead letter is stored", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const manager = await jetstreamManager(service.wire.nats);
    let calls = 0;
    await consumeWith(
      service,
      async (events) => {
        calls += 1;
        return events.map(({ id }) => ({ event: id, reason: "never" }));
      },
      { attemptsMax: 1 },
    );
    await eventually(async () => expect(await pendingOf(service)).toBe(0));
    await manager.streams.delete(streamName(service.config.NAMESPACE, "dead"));
    await publish(service, ["a"]);
    await eventually(() => calls === 1);
    await eventually(async () => expect(await pendingOf(service)).toBe(1));
  });

  it("dead-letters an event of a new stream whose sequence numbers begin again", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const manager = await jetstreamManager(service.wire.nats);
    await consumeWith(service, failAll, { attemptsMax: 1 });
    const reasons = async () =>
      (await listDeadLetters(service.wire.nats, service.config.NAMESPACE)).map(
        ({ reason }) => reason,
      );
    await publish(service, ["a"]);
    await eventually(async () => expect(await reasons()).toEqual(["not a"]));
    await manager.streams.delete(streamName(service.config.NAMESPACE, "event"));
    await eventually(async () => expect(await pendingOf(service)).toBe(0), 15_000);
    await publish(service, ["b"]);
    await eventually(async () => expect(await reasons()).toEqual(["not a", "not b"]), 15_000);
  });

  it("dead-letters a message after 100 deliveries without an outcome, and lists dead letters in pages", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    await publish(service, ["deadly", "deadly too"]);
    const { wire, config } = service;
    const crashing = await ensureConsumer(wire.nats, config.NAMESPACE, {
      ...testConsumer,
      name: consumerNameOf(testConsumer),
      stream: "event",
      subject: eventSubject(config.NAMESPACE, testConsumer.event),
    });
    expect((await crashing.info()).config.max_deliver).toBe(-1);
    const deliveries = new Map<number, number>();
    while (deliveries.size < 2 || Math.min(...deliveries.values()) < 100) {
      const message = await crashing.next();
      if (!message) throw new Error("a message without an ack is redelivered");
      deliveries.set(message.seq, message.info.deliveryCount);
      message.nak();
    }
    let handled = 0;
    await consumeWith(service, async (events) => {
      handled += events.length;
      return [];
    });
    const [first, second] = await eventually(async () => {
      const letters = await listDeadLetters(wire.nats, config.NAMESPACE);
      expect(letters).toHaveLength(2);
      return letters;
    });
    expect(first?.reason).toBe("delivered 100 times without an outcome");
    expect(handled).toBe(0);
    const list = async (bounds: object) => listDeadLetters(wire.nats, config.NAMESPACE, bounds);
    expect(await list({ limit: 1 })).toEqual([first]);
    expect(await list({ from: second?.seq })).toEqual([second]);
  });
});
