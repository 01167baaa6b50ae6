import { randomUUID } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceContract } from "@malipo/contract-tools";
import {
  consumerNameOf,
  consumers,
  contextHeader,
  type EventEnvelope,
  type EventType,
  events,
  inboxPrefix,
  replyHeaders,
  rpcSubject,
  streamName,
} from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { listDeadLetters } from "@malipo/platform";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allServices, eventually, publishEvents, useSystem } from "@malipo/testing";

const snapshots = globSync("packages/contract-tools/snapshots/*.json", { cwd: workspaceRoot }).map(
  (path) => JSON.parse(readFileSync(join(workspaceRoot, path), "utf8")) as ServiceContract,
);
const system = useSystem(allServices);
const patienceMs = 20_000;
const someId = "6743f1b2c9e8a45d3f0b7c21";
/** Samples have the right form; what handlers mind is what some of them mean. */
const meant = /must not be sent together|is not one of this list/;
let nats: NatsConnection;

beforeAll(async () => {
  const { natsUrl, namespace } = system.servers;
  // Every service answers the gateway.
  nats = await connect({ servers: natsUrl, inboxPrefix: inboxPrefix(namespace, "gateway") });
});
afterAll(() => nats.close());

/** The status of a served request, and what was said. */
async function ask(
  { service }: ServiceContract,
  verb: string,
  { params, query, body }: { params: readonly string[]; query?: unknown; body?: unknown },
): Promise<{ status: number; said: string }> {
  const written = headers();
  const context = {
    requestid: randomUUID(),
    businessid: system.business.businessid,
    deadline: Date.now() + patienceMs,
    params: Object.fromEntries(params.map((name) => [name, someId])),
    query: new URLSearchParams(query as Record<string, string> | undefined).toString(),
  };
  written.set(contextHeader, JSON.stringify(context));
  const reply = await nats.request(
    rpcSubject(system.servers.namespace, { service, verb }),
    body === undefined ? undefined : JSON.stringify(body),
    { timeout: patienceMs, headers: written },
  );
  return { status: Number(reply.headers?.get(replyHeaders.status)), said: reply.string() };
}

describe("the services of today", () => {
  it.each(snapshots.map((snapshot) => [snapshot.service, snapshot] as const))(
    "%s takes the requests of its last release",
    async (_service, snapshot) => {
      const asked = Object.entries(snapshot.operations).flatMap(([verb, { params, samples }]) =>
        samples.map(async (sample) => {
          const { status, said } = await ask(snapshot, verb, { params, ...sample });
          return { verb, status, said };
        }),
      );
      const answers = await Promise.all(asked);
      expect(answers.length).toBeGreaterThan(0);
      const malformed = answers.filter(
        ({ status, said }) => status === 500 || (status === 400 && !meant.test(said)),
      );
      expect(malformed).toEqual([]);
    },
  );

  it("read every event of the last releases", async () => {
    const { servers } = system;
    const samples = snapshots.flatMap(({ events: published }) =>
      Object.entries(published)
        .filter(([type]) => type in events)
        .flatMap(([type, { samples: each }]) => each.map((sample) => envelopeOf(type, sample))),
    );
    expect(samples.length).toBeGreaterThan(30);
    const durables = consumers.filter(({ isOrdered: inOrder }) => !inOrder);
    const unreadable = durables.map(({ event }) => envelopeOf(typeOf(event), { data: null }));
    await publishEvents(servers, samples);
    await untilDelivered(durables.map(consumerNameOf));
    // What is set aside is set aside in order: with these last, nothing before them is still to come.
    await publishEvents(servers, unreadable);
    const mine = new Set(unreadable.map(({ id }) => id));
    const setAside = async () => {
      const letters = await listDeadLetters(nats, servers.namespace, { limit: 1_000 });
      return letters.filter(({ reason }) => reason.startsWith("unreadable"));
    };
    await eventually(async () => {
      const heard = (await setAside()).filter(({ event }) => mine.has(event));
      const names = [...durables.map(consumerNameOf), "webhook-on-event"];
      expect(new Set(heard.map(({ consumer }) => consumer))).toEqual(new Set(names));
    }, patienceMs);
    expect((await setAside()).filter(({ event }) => !mine.has(event))).toEqual([]);
  });
});

function envelopeOf(type: string, sample: { data: unknown; inside?: unknown }): EventEnvelope {
  const { businessid } = system.business;
  const at = new Date().toISOString();
  const envelope = { id: randomUUID(), type, seq: 1, businessid, recordid: someId, at };
  return { ...envelope, inside: undefined, ...sample };
}

/** One that the pattern means. */
function typeOf(pattern: string): EventType {
  const [type] = (Object.keys(events) as EventType[]).filter((each) =>
    each.startsWith(pattern.replace("*", "")),
  );
  if (!type) throw new Error(`no event is a ${pattern}`);
  return type;
}

async function untilDelivered(names: readonly string[]): Promise<void> {
  const manager = await jetstreamManager(nats);
  const stream = streamName(system.servers.namespace, "event");
  await eventually(async () => {
    for (const name of names) {
      expect((await manager.consumers.info(stream, name)).num_pending).toBe(0);
    }
  }, patienceMs);
}
