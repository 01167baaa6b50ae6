import { type ConsumerContract, consumerNameOf, eventSubject, streamName } from "@malipo/contracts";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { describe, expect, it } from "vitest";
import { consumeEvents, type EventHandler, listDeadLetters } from "../src/consuming/index.ts";
import { ensureStreams } from "../src/nats/index.ts";
import type { Service } from "../src/service/index.ts";
import { testConsumer } from "./contract.ts";
import { envelopeOf } from "./notes.ts";
import { testEventHandlers, openTestService, testHandlers } from "./test-service.ts";
import { newId } from "../src/mongo/index.ts";

const shared = useSharedServers();
const inOrder: ConsumerContract = { ...testConsumer, batchMax: 10, isOrdered: true };
const name = consumerNameOf(inOrder);

type Handler = EventHandler<"product.created">;

async function readWith(service: Service, handler: Handler) {
  const handlers = testHandlers({ onProductCreated: handler });
  consumeEvents(service, testEventHandlers, handlers, [inOrder]);
}

/** A reader that only records the titles of its events. */
async function recordTitles(service: Service): Promise<string[]> {
  const seen: string[] = [];
  await readWith(service, async (events) => {
    seen.push(...events.map(({ data }) => data.title));
    return [];
  });
  return seen;
}

async function publish(service: Service, titles: readonly string[]) {
  for (const title of titles) await publishMessage(service, envelopeOf(title));
}

async function publishMessage({ wire, config }: Service, event: object) {
  const subject = eventSubject(config.NAMESPACE, "product.created");
  await jetstream(wire.nats).publish(subject, JSON.stringify(event), { msgID: newId() });
}

function titles(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

describe("an in-order reader", () => {
  it("handles events in the order of the stream, and continues at its position after a restart", async () => {
    const servers = inOwnNamespace(shared);
    const first = await openTestService(servers);
    await publish(first, titles("a", 25));
    const seen = await recordTitles(first);
    await eventually(() => expect(seen).toEqual(titles("a", 25)));
    await first.shutdown.begin("restart");

    const second = await openTestService(servers);
    await publish(second, titles("b", 5));
    const later = await recordTitles(second);
    await eventually(() => expect(later).toEqual(titles("b", 5)));
  });

  it("handles a whole message again after a restart when some of its events were not done", async () => {
    const servers = inOwnNamespace(shared);
    const first = await openTestService(servers);
    await publish(first, ["before"]);
    await publishMessage(first, titles("a", 25).map(envelopeOf));
    const begun: string[][] = [];
    let stopped: Promise<void> | undefined;
    await readWith(first, async (events) => {
      begun.push(events.map(({ data }) => data.title));
      if (begun.length === 2) stopped = first.shutdown.begin("in the middle of a message");
      return [];
    });
    await eventually(() => stopped !== undefined);
    await stopped;
    expect(begun.flat()).toEqual(["before", ...titles("a", 25)].slice(0, begun.flat().length));
    expect(begun.flat().length).toBeLessThan(25);

    const second = await openTestService(servers);
    const later = await recordTitles(second);
    await eventually(() => expect(later).toEqual(titles("a", 25)));
    await second.shutdown.begin("restart");

    const third = await openTestService(servers);
    await publish(third, ["after"]);
    const last = await recordTitles(third);
    await eventually(() => expect(last).toEqual(["after"]));
  });

  it("runs in one process at a time; another process takes over without losing an event", async () => {
    const servers = inOwnNamespace(shared);
    const [one, two] = [await openTestService(servers), await openTestService(servers)];
    const handledByOne = await recordTitles(one);
    await eventually(async () =>
      expect(await one.store.db.collection("followers").countDocuments()).toBe(1),
    );
    const handledByTwo = await recordTitles(two);
    await publish(two, titles("a", 30));
    await eventually(() => expect(handledByOne).toEqual(titles("a", 30)));
    expect(handledByTwo).toEqual([]);
    await one.shutdown.begin("taken over");
    await publish(two, titles("b", 30));
    await eventually(() => expect(handledByTwo).toEqual(titles("b", 30)));
  });

  it("does not handle later events before a failing one, and dead-letters it after the last attempt", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const handled: string[] = [];
    let attempts = 0;
    await readWith(service, async (events) => {
      const bad = events.find(({ data }) => data.title === "a1");
      if (bad && events.length > 1) throw new Error("one of them is bad");
      if (bad) {
        attempts += 1;
        return [{ event: bad.id, reason: "not this one" }];
      }
      handled.push(...events.map(({ data }) => data.title));
      return [];
    });
    await publish(service, titles("a", 4));
    await eventually(() => expect(handled).toEqual(["a0", "a2", "a3"]));
    expect(attempts).toBe(inOrder.attemptsMax);
    const letters = await listDeadLetters(service.wire.nats, service.config.NAMESPACE);
    expect(letters).toMatchObject([{ consumer: name, reason: "not this one" }]);
  });

  it("reads a new stream from its start when the old one was lost, even if the new one is longer", async () => {
    const servers = inOwnNamespace(shared);
    const first = await openTestService(servers);
    const seen = await recordTitles(first);
    await publish(first, titles("a", 3));
    await eventually(() => expect(seen).toHaveLength(3));
    await first.shutdown.begin("stopped");

    const second = await openTestService(servers);
    const { nats } = second.wire;
    const stream = streamName(servers.namespace, "event");
    await (await jetstreamManager(nats)).streams.delete(stream);
    await ensureStreams(nats, servers.namespace, 1);
    await publish(second, titles("b", 7));
    const later = await recordTitles(second);
    await eventually(() => expect(later).toEqual(titles("b", 7)));
  });

  it("continues when its stream is created again while it reads", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const seen = await recordTitles(service);
    await publish(service, titles("a", 3));
    await eventually(() => expect(seen).toHaveLength(3));
    const stream = streamName(service.config.NAMESPACE, "event");
    await (await jetstreamManager(service.wire.nats)).streams.delete(stream);
    await ensureStreams(service.wire.nats, service.config.NAMESPACE, 1);
    await publish(service, titles("b", 3));
    await eventually(() => expect(seen).toEqual([...titles("a", 3), ...titles("b", 3)]), 25_000);
  });

  it("stops at once when another process has taken its lease", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const batches: string[][] = [];
    await readWith(service, async (events) => {
      batches.push(events.map(({ data }) => data.title));
      // The lease expired during a long pause of this process, and another one took it.
      const leases = service.store.db.collection<{ _id: string }>("followers");
      const until = new Date(Date.now() + 60_000);
      await leases.updateOne({ _id: name }, { $set: { owner: "another", until } });
      return [];
    });
    await publish(service, ["a0"]);
    await eventually(() => expect(batches).toEqual([["a0"]]));
    await publish(service, ["a1"]);
    await eventually(async () => {
      const stream = streamName(service.config.NAMESPACE, "event");
      const manager = await jetstreamManager(service.wire.nats);
      expect((await manager.streams.info(stream)).state.messages).toBe(2);
    });
    const leases = service.store.db.collection<{ _id: string; owner: string }>("followers");
    expect(await leases.findOne({ _id: name })).toMatchObject({ owner: "another" });
    expect(batches).toEqual([["a0"]]);
  });
});
