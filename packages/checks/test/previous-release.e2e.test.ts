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
const timeoutMs = 20_000;
const someId = "6743f1b2c9e8a45d3f0b7c21";
/** Samples have a valid form; handlers may refuse some of them for what they mean. */
const refusedForMeaning = /must not be sent together|is not one of this list/;
let nats: NatsConnection;

beforeAll(async () => {
  const { natsUrl, namespace } = system.servers;
  // Every service permits requests of the gateway.
  nats = await connect({ servers: natsUrl, inboxPrefix: inboxPrefix(namespace, "gateway") });
});
afterAll(() => nats.close());

/** Sends a request as the gateway does; resolves to status and body. */
async function ask(
  { service }: ServiceContract,
  verb: string,
  { params, query, body }: { params: readonly string[]; query?: unknown; body?: unknown },
): Promise<{ status: number; text: string }> {
  const requestHeaders = headers();
  const context = {
    requestid: randomUUID(),
    businessid: system.business.businessid,
    deadline: Date.now() + timeoutMs,
    params: Object.fromEntries(params.map((name) => [name, someId])),
    query: new URLSearchParams(query as Record<string, string> | undefined).toString(),
  };
  requestHeaders.set(contextHeader, JSON.stringify(context));
  const reply = await nats.request(
    rpcSubject(system.servers.namespace, { service, verb }),
    body === undefined ? undefined : JSON.stringify(body),
    { timeout: timeoutMs, headers: requestHeaders },
  );
  return { status: Number(reply.headers?.get(replyHeaders.status)), text: reply.string() };
}

describe("the present services", () => {
  it.each(snapshots.map((snapshot) => [snapshot.service, snapshot] as const))(
    "%s accepts the requests of its last release",
    async (_service, snapshot) => {
      const asked = Object.entries(snapshot.operations).flatMap(([verb, { params, samples }]) =>
        samples.map(async (sample) => {
          const { status, text } = await ask(snapshot, verb, { params, ...sample });
          return { verb, status, text };
        }),
      );
      const answers = await Promise.all(asked);
      expect(answers.length).toBeGreaterThan(0);
      const malformed = answers.filter(
        ({ status, text }) => status === 500 || (status === 400 && !refusedForMeaning.test(text)),
      );
      expect(malformed).toEqual([]);
    },
  );

  it("can read every event of the last releases", async () => {
    const { servers } = system;
    const samples = snapshots.flatMap(({ events: published }) =>
      Object.entries(published)
        .filter(([type]) => type in events)
        .flatMap(([type, { samples: each }]) => each.map((sample) => envelopeOf(type, sample))),
    );
    expect(samples.length).toBeGreaterThan(30);
    const durables = consumers.filter(({ isOrdered }) => !isOrdered);
    const unreadable = durables.map(({ event }) => envelopeOf(typeOf(event), { data: null }));
    await publishEvents(servers, samples);
    await waitUntilDelivered(durables.map(consumerNameOf));
    // Dead letters are written in order. When those of the unreadable events are there, none is missing.
    await publishEvents(servers, unreadable);
    const sentIds = new Set(unreadable.map(({ id }) => id));
    const unreadableLetters = async () => {
      const letters = await listDeadLetters(nats, servers.namespace, { limit: 1_000 });
      return letters.filter(({ reason }) => reason.startsWith("unreadable"));
    };
    await eventually(async () => {
      const ours = (await unreadableLetters()).filter(({ event }) => sentIds.has(event));
      const names = [...durables.map(consumerNameOf), "webhook-on-event"];
      expect(new Set(ours.map(({ consumer }) => consumer))).toEqual(new Set(names));
    }, timeoutMs);
    expect((await unreadableLetters()).filter(({ event }) => !sentIds.has(event))).toEqual([]);
  });
});

function envelopeOf(type: string, sample: { data: unknown; inside?: unknown }): EventEnvelope {
  const { businessid } = system.business;
  const at = new Date().toISOString();
  const envelope = { id: randomUUID(), type, seq: 1, businessid, recordid: someId, at };
  return { ...envelope, inside: undefined, ...sample };
}

/** One event type that the pattern matches. */
function typeOf(pattern: string): EventType {
  const [type] = (Object.keys(events) as EventType[]).filter((each) =>
    each.startsWith(pattern.replace("*", "")),
  );
  if (!type) throw new Error(`no event matches ${pattern}`);
  return type;
}

async function waitUntilDelivered(names: readonly string[]): Promise<void> {
  const manager = await jetstreamManager(nats);
  const stream = streamName(system.servers.namespace, "event");
  await eventually(async () => {
    for (const name of names) {
      expect((await manager.consumers.info(stream, name)).num_pending).toBe(0);
    }
  }, timeoutMs);
}
