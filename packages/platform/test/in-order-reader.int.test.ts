import { type ConsumerContract, consumerNameOf, eventSubject, streamName } from "@malipo/contracts";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { describe, expect, it } from "vitest";
import { consumeEvents, type EventHandler } from "../src/consuming/consumer.ts";
import { listDeadLetters } from "../src/consuming/dead-letters.ts";
import type { Service } from "../src/service/service.ts";
import { ensureStreams } from "../src/nats/streams.ts";
import { testConsumer } from "./contract.ts";
import { envelopeOf } from "./notes.ts";
import { testEventHandlers, openTestService, testHandlers } from "./test-service.ts";
import { newId } from "../src/mongo/new-id.ts";

const shared = useSharedServers();
const inOrder: ConsumerContract = { ...testConsumer, batchMax: 10, inOrder: true };
const name = consumerNameOf(inOrder);

type Handler = EventHandler<"product.created">;

async function followWith(service: Service, handler: Handler) {
  const handlers = testHandlers({ onProductCreated: handler });
  consumeEvents(service, testEventHandlers, handlers, [inOrder]);
}

/** A follower that only notes down what it gets. */
async function noteDown(service: Service): Promise<string[]> {
  const seen: string[] = [];
  await followWith(service, async (events) => {
    seen.push(...events.map(({ data }) => data.title));
    return [];
  });
  return seen;
}

async function publish(service: Service, titles: readonly string[]) {
  for (const title of titles) await publishAs(service, envelopeOf(title));
}

async function publishAs({ wire, config }: Service, told: object) {
  const subject = eventSubject(config.NAMESPACE, "product.created");
  await jetstream(wire.nats).publish(subject, JSON.stringify(told), { msgID: newId() });
}

function titles(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

describe("a follower", () => {
  it("takes everything in the stream's order, and goes on after a restart where it was", async () => {
    const servers = inOwnNamespace(shared);
    const first = await openTestService(servers);
    await publish(first, titles("a", 25));
    const seen = await noteDown(first);
    await eventually(() => expect(seen).toEqual(titles("a", 25)));
    await first.shutdown.begin("restart");

    const second = await openTestService(servers);
    await publish(second, titles("b", 5));
    const later = await noteDown(second);
    await eventually(() => expect(later).toEqual(titles("b", 5)));
  });

  it("goes on after a restart with a message of which anything was left", async () => {
    const servers = inOwnNamespace(shared);
    const first = await openTestService(servers);
    await publish(first, ["before"]);
    await publishAs(first, titles("a", 25).map(envelopeOf));
    const begun: string[][] = [];
    let stopped: Promise<void> | undefined;
    await followWith(first, async (events) => {
      begun.push(events.map(({ data }) => data.title));
      if (begun.length === 2) stopped = first.shutdown.begin("in the middle of a message");
      return [];
    });
    await eventually(() => stopped !== undefined);
    await stopped;
    expect(begun.flat()).toEqual(["before", ...titles("a", 25)].slice(0, begun.flat().length));
    expect(begun.flat().length).toBeLessThan(25);

    const second = await openTestService(servers);
    const later = await noteDown(second);
    await eventually(() => expect(later).toEqual(titles("a", 25)));
    await second.shutdown.begin("restart");

    const third = await openTestService(servers);
    await publish(third, ["after"]);
    const last = await noteDown(third);
    await eventually(() => expect(last).toEqual(["after"]));
  });

  it("is one process at a time; another goes on when it ends, with nothing lost", async () => {
    const servers = inOwnNamespace(shared);
    const [one, two] = [await openTestService(servers), await openTestService(servers)];
    const seenByOne = await noteDown(one);
    await eventually(async () =>
      expect(await one.store.db.collection("followers").countDocuments()).toBe(1),
    );
    const seenByTwo = await noteDown(two);
    await publish(two, titles("a", 30));
    await eventually(() => expect(seenByOne).toEqual(titles("a", 30)));
    expect(seenByTwo).toEqual([]);
    await one.shutdown.begin("taken over");
    await publish(two, titles("b", 30));
    await eventually(() => expect(seenByTwo).toEqual(titles("b", 30)));
  });

  it("lets nothing overtake what is refused, and sets it aside in the end", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const taken: string[] = [];
    let tries = 0;
    await followWith(service, async (events) => {
      const bad = events.find(({ data }) => data.title === "a1");
      if (bad && events.length > 1) throw new Error("one of them is bad");
      if (bad) {
        tries += 1;
        return [{ event: bad.id, reason: "not this one" }];
      }
      taken.push(...events.map(({ data }) => data.title));
      return [];
    });
    await publish(service, titles("a", 4));
    await eventually(() => expect(taken).toEqual(["a0", "a2", "a3"]));
    expect(tries).toBe(inOrder.refusalsMax);
    const letters = await listDeadLetters(service.wire.nats, service.config.NAMESPACE);
    expect(letters).toMatchObject([{ consumer: name, reason: "not this one" }]);
  });

  it("begins anew with a stream that was lost, be it longer than the old one by then", async () => {
    const servers = inOwnNamespace(shared);
    const first = await openTestService(servers);
    const seen = await noteDown(first);
    await publish(first, titles("a", 3));
    await eventually(() => expect(seen).toHaveLength(3));
    await first.shutdown.begin("stopped");

    const second = await openTestService(servers);
    const { nats } = second.wire;
    const stream = streamName(servers.namespace, "event");
    await (await jetstreamManager(nats)).streams.delete(stream);
    await ensureStreams(nats, servers.namespace, 1);
    await publish(second, titles("b", 7));
    const later = await noteDown(second);
    await eventually(() => expect(later).toEqual(titles("b", 7)));
  });

  it("goes on when its stream is made again while it follows", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const seen = await noteDown(service);
    await publish(service, titles("a", 3));
    await eventually(() => expect(seen).toHaveLength(3));
    const stream = streamName(service.config.NAMESPACE, "event");
    await (await jetstreamManager(service.wire.nats)).streams.delete(stream);
    await ensureStreams(service.wire.nats, service.config.NAMESPACE, 1);
    await publish(service, titles("b", 3));
    await eventually(() => expect(seen).toEqual([...titles("a", 3), ...titles("b", 3)]), 25_000);
  });

  it("stops at once when another has taken its turn", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const batches: string[][] = [];
    await followWith(service, async (events) => {
      batches.push(events.map(({ data }) => data.title));
      // As if it had been paused for long: somebody else goes on now.
      const followers = service.store.db.collection<{ _id: string }>("followers");
      const until = new Date(Date.now() + 60_000);
      await followers.updateOne({ _id: name }, { $set: { owner: "another", until } });
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
    const followers = service.store.db.collection<{ _id: string; owner: string }>("followers");
    expect(await followers.findOne({ _id: name })).toMatchObject({ owner: "another" });
    expect(batches).toEqual([["a0"]]);
  });
});
