import { setTimeout as sleep } from "node:timers/promises";
import {
  call,
  eventually,
  idIn,
  makeBusiness,
  publishEvents,
  type ServiceProcess,
  type SharedServers,
  startService,
  startSystem,
} from "@malipo/testing";
import { MongoClient, ObjectId } from "mongodb";
import { expect } from "vitest";
import { createKiller, type Kills } from "./kills.ts";
import { paymentEvent, type TestEvent } from "./payment-event.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const workersCount = 2;
/** Longer than any lease and any rest of a flapping receiver: if nothing arrives for this long, it is stalled. */
const stalledAfterMs = 60_000;
const attemptTimeoutMs = 1_000;
/** The attempts of a killed worker that may be missing in the store. */
export const unstoredPerKill = 60;

const kinds = ["fast", "second fast", "slow", "flapping", "lying", "dead"] as const;
type Kind = (typeof kinds)[number];
const healthyKinds: readonly Kind[] = ["fast", "second fast", "slow", "flapping", "lying"];

/** A flapping receiver refuses five events after each hundred it takes: enough to cause a rest. */
const flapping = { well: 100, ill: 5 };

function startReceiverOf(kind: Kind): Promise<Receiver> {
  switch (kind) {
    case "slow":
      return startReceiver((_, response) => {
        setTimeout(() => response.end("slow answer"), 15 + Math.random() * 30);
      });
    case "flapping": {
      let answered = 0;
      return startReceiver((_, response) => {
        answered += 1;
        const isIll = answered % (flapping.well + flapping.ill) >= flapping.well;
        response.writeHead(isIll ? 500 : 200).end();
      });
    }
    case "lying":
      return startReceiver((_, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("yes, ");
        setImmediate(() => response.destroy());
      });
    case "fast":
    case "second fast":
    case "dead":
      return startReceiver();
    default:
      throw new Error(`no receiver is ${String(kind satisfies never)}`);
  }
}

/** The system with a business of its own, and workers that can be killed. */
export interface Chaos {
  readonly businessid: string;
  readonly ask: (method: string, path: string, body?: unknown) => ReturnType<typeof call>;
  readonly workers: readonly ServiceProcess[];
  readonly servers: SharedServers;
  stop(): Promise<void>;
}

export async function startChaos(servers: SharedServers): Promise<Chaos> {
  const env = {
    NATS_URL: servers.natsUrl,
    MONGODB_URI: servers.mongodbUri,
    NAMESPACE: servers.namespace,
    LOG_LEVEL: "warn",
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    ALLOW_LOOPBACK: "true",
    RETRY_DELAYS: Array.from({ length: 20 }, () => "1").join(","),
    ATTEMPT_TIMEOUT_MS: String(attemptTimeoutMs),
  };
  const [gateway, ...workers] = await Promise.all([
    startSystem(servers, []),
    ...Array.from({ length: workersCount }, async () => startService("webhook", env)),
  ]);
  const { businessid, secret } = await makeBusiness(gateway);
  return {
    businessid,
    workers,
    servers,
    ask: (method, path, body) => call(gateway.apiUrl + path, method, secret, body),
    stop: async () => {
      await Promise.all([gateway.stop(), ...workers.map(async (worker) => worker.stop())]);
    },
  };
}

export interface Storm {
  readonly events: number;
  readonly perSecond: number;
  readonly kinds: readonly Kind[];
  /** Replaces the bad receivers by healthy ones, so that the load is the same. */
  readonly areAllHealthy?: true;
  readonly kills?: Kills;
}

export const allKinds: readonly Kind[] = kinds;

export interface Outcome {
  readonly kills: number;
  readonly deliveries: number;
  readonly duplicates: number;
  /** From publication to the first arrival, at the fast receivers. */
  readonly fastP99Ms: number;
}

/** Publishes events during the storm, and checks that each was delivered and logged. */
export async function runStorm(chaos: Chaos, storm: Storm): Promise<Outcome> {
  const receivers = new Map<Kind, Receiver>();
  const endpoints = new Map<Kind, string>();
  for (const kind of storm.kinds) {
    const receiver = await startReceiverOf(storm.areAllHealthy ? "fast" : kind);
    receivers.set(kind, receiver);
    const created = await chaos.ask("POST", "/business/webhook/create", { url: receiver.url });
    endpoints.set(kind, idIn(created));
    if (kind === "dead" && !storm.areAllHealthy) await receiver.close();
  }
  const feed = await readFeed(chaos);
  const arrived = () => receivers.get("fast")?.received.length ?? 0;
  const killer = createKiller(chaos.workers, storm, arrived);
  const published = await publishSteadily(chaos, storm, killer.afterPublished);
  const kills = await killer.end();

  const ids = new Set(published.keys());
  const healthy = storm.areAllHealthy ? storm.kinds : healthyKinds;
  await untilDrained(
    healthy.map((kind) => receivers.get(kind)),
    ids.size,
  );
  for (const kind of healthy) expect(receivers.get(kind)?.ids).toEqual(ids);
  expect(await feed.end(ids.size)).toEqual([...ids]);

  const duplicates = await compareWithAttempts(chaos, {
    receivers,
    endpoints,
    ids,
    kills,
    healthy,
  });
  for (const id of endpoints.values()) await chaos.ask("POST", `/business/webhook/delete/${id}`);
  const fastP99Ms = Math.max(
    ...healthy.filter(isFast).map((kind) => p99Of(published, receivers.get(kind))),
  );
  const deliveries = ids.size * healthy.length;
  return { kills, deliveries, duplicates, fastP99Ms };
}

/** Waits as long as new events arrive. */
async function untilDrained(receivers: readonly (Receiver | undefined)[], events: number) {
  const arrivals = () => receivers.map((receiver) => receiver?.ids.size ?? 0);
  const isComplete = () => arrivals().every((count) => count >= events);
  for (let seen = arrivals(); !isComplete(); seen = arrivals()) {
    const before = seen.reduce((sum, count) => sum + count, 0);
    await eventually(() => {
      if (isComplete()) return;
      expect(arrivals().reduce((sum, count) => sum + count, 0)).toBeGreaterThan(before);
    }, stalledAfterMs);
  }
}

function isFast(kind: Kind): boolean {
  return kind === "fast" || kind === "second fast";
}

/** Publishes in steps of a tenth of a second. Returns the publication time of each event, in stream order. */
async function publishSteadily(
  { servers, businessid }: Chaos,
  { events, perSecond }: Storm,
  afterPublished: (count: number) => Promise<void>,
): Promise<Map<string, number>> {
  const published = new Map<string, number>();
  const piece = Math.max(1, Math.round(perSecond / 10));
  const started = performance.now();
  while (published.size < events) {
    const size = Math.min(piece, events - published.size);
    const next: TestEvent[] = Array.from({ length: size }, () => paymentEvent(businessid));
    for (const { id } of next) published.set(id, performance.now());
    await publishEvents(servers, next);
    await afterPublished(published.size);
    const dueInMs = started + (published.size / perSecond) * 1_000 - performance.now();
    if (dueInMs > 0) await sleep(dueInMs);
  }
  return published;
}

/** Reads the feed all the time as a consumer would, from its current end. */
async function readFeed({ ask }: Chaos) {
  const seen: string[] = [];
  const step = async (query: string): Promise<string> => {
    const answer = await ask("GET", `/business/event/list?limit=17&${query}`).catch(() => null);
    if (answer?.status !== 200) return "";
    const { body } = answer;
    for (const { eventid } of body["data"] as { eventid: string }[]) seen.push(eventid);
    return (body["meta"] as { cursor: string }).cursor;
  };
  let cursor = await eventually(async () => (await step("from=newest")) || false, 60_000);
  const ending = new AbortController();
  const reading = (async () => {
    while (!ending.signal.aborted) {
      // A service that was just killed does not answer: then the cursor stays.
      cursor = (await step(`cursor=${cursor}`)) || cursor;
      await sleep(10);
    }
  })();
  return {
    end: async (count: number): Promise<string[]> => {
      await eventually(() => seen.length >= count, 60_000);
      ending.abort();
      await reading;
      return seen;
    },
  };
}

interface Seen {
  readonly receivers: ReadonlyMap<Kind, Receiver>;
  readonly endpoints: ReadonlyMap<Kind, string>;
  readonly ids: ReadonlySet<string>;
  readonly kills: number;
  readonly healthy: readonly Kind[];
}

/** Compares stored attempts with what the receivers got. Returns how many events were taken twice or more. */
async function compareWithAttempts(
  { servers }: Chaos,
  { receivers, endpoints, ids, kills, healthy }: Seen,
): Promise<number> {
  const client = await MongoClient.connect(servers.mongodbUri);
  const collection = client.db(`${servers.namespace}_webhook`).collection("deliveries");
  let duplicates = 0;
  let unstored = 0;
  try {
    for (const [kind, endpointid] of endpoints) {
      const filter = { endpointid: new ObjectId(endpointid) };
      const isHealthy = healthy.includes(kind);
      await eventually(async () => {
        const left = isHealthy ? { ...filter, status: { $ne: "delivered" } } : { _id: "none" };
        expect({ kind, left: await collection.countDocuments(left as never) }).toEqual({
          kind,
          left: 0,
        });
      }, 60_000);
      const documents = await collection.find(filter).toArray();
      expect(new Set(documents.map(({ eventid }) => eventid as string))).toEqual(ids);
      const arrivals = Map.groupBy(receivers.get(kind)?.received ?? [], ({ id }) => id);
      for (const { eventid, log, status } of documents) {
        const attempts = log as { status: number | null }[];
        const answered = attempts.filter((attempt) => attempt.status !== null).length;
        const arrived = arrivals.get(eventid as string)?.length ?? 0;
        // Every stored answer came from a request that arrived.
        expect(answered).toBeLessThanOrEqual(arrived);
        unstored += arrived - attempts.length > 0 ? arrived - attempts.length : 0;
        if (!isHealthy) expect(status).toBe("pending");
        const taken = attempts.filter((attempt) => attempt.status === 200).length;
        duplicates += Math.max(0, taken - 1, kind === "flapping" ? 0 : arrived - 1);
      }
    }
  } finally {
    await client.close();
  }
  expect(unstored).toBeLessThanOrEqual(kills * unstoredPerKill);
  return duplicates;
}

function p99Of(published: ReadonlyMap<string, number>, receiver: Receiver | undefined): number {
  const first = new Map<string, number>();
  for (const { id, atMs } of receiver?.received ?? []) if (!first.has(id)) first.set(id, atMs);
  const waits = [...first]
    .map(([id, atMs]) => atMs - (published.get(id) ?? atMs))
    .toSorted((a, b) => a - b);
  return waits[Math.floor(waits.length * 0.99)] ?? 0;
}

/** One line for the output of a long run. */
export function describeOutcome(outcome: Outcome): string {
  const { kills, deliveries, duplicates, fastP99Ms } = outcome;
  return `${kills} kills, ${deliveries} deliveries, ${duplicates} duplicates, fast p99 ${Math.round(fastP99Ms)} ms`;
}
