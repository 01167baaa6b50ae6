import { eventSubject, eventsInMessage } from "@malipo/contracts";
import { connect } from "@nats-io/transport-node";
import { Pool } from "undici";
import { eventually } from "@malipo/testing/without-vitest";
import { cpuPerOperationDuring } from "../cpu.ts";
import type { BenchPath, Run } from "../path.ts";
import { startLocalSystem, type LocalSystem } from "../product-details/local-system.ts";
import { atLeast, atMost, number, type Outcome } from "../report.ts";
import type { Sample } from "../rounds.ts";
import { percentile, sendAtRate } from "./load.ts";

const path = "/business/payments/mobile/request";
const steps = [
  { name: "300 a second", rate: 300 },
  { name: "100 a second", rate: 100 },
];
const requestMaxMs = 500;
const completedMaxMs = 250;
const warmup = { rate: 100, seconds: 8 };
/** More than are in flight while the latency is within the bar. */
const connections = 256;
/** All of two cores at 300 requests a second. */
const cpuMaxMicros = 6_600;

export const mobileRequestPath: BenchPath = {
  name: "mobile-request",
  measures:
    "how long a request for a mobile payment takes through gateway, NATS, service, store and the " +
    "simulator at a fixed rate, and how soon after its callback payment.completed is on the stream",
  baselines: [],
  effort: { rounds: 1, seconds: 10, connections: 1 },
  run: measureRequests,
};

type Measured = Sample & {
  readonly requests: { readonly p50: number; readonly p99: number };
  readonly events: { readonly p50: number; readonly p99: number };
  readonly answered: number;
  readonly completed: number;
};

async function measureRequests(run: Run): Promise<Outcome> {
  run.onProgress("starting the whole system");
  const system = await startLocalSystem(run.processes);
  const events = await watchCompletions(system);
  const phones = phoneNumbers();
  const send = sender(system);
  const step = { system, events, phones, send };
  await measureStep(step, warmup.rate, warmup.seconds);
  const measured = new Map<string, Measured>();
  for (const { name, rate } of steps) {
    run.onProgress(name);
    measured.set(name, await measureStep(step, rate, run.seconds));
  }
  await events.close();
  const [fast, calm] = steps.map(({ name }) => measured.get(name));
  if (!fast || !calm) throw new Error("a step was not measured");
  return {
    measurements: [...measured].map(([step, sample]) => ({
      step,
      contender: "Malipo",
      samples: [sample],
    })),
    tables: [
      {
        title: `POST ${path}; milliseconds`,
        columns: ["", "sent", "200", "completed", "p50", "p99", "event p50", "event p99"],
        rows: [...measured].map(([name, one]) => [
          name,
          ...[one.operations, one.answered, one.completed].map(String),
          number(one.requests.p50),
          number(one.requests.p99),
          number(one.events.p50),
          number(one.events.p99),
        ]),
      },
      {
        title: "CPU in µs a payment, its callback and events included",
        columns: ["", ...Object.keys(fast.cpuMicros), "all"],
        rows: [...measured].map(([name, one]) => [
          name,
          ...[...Object.values(one.cpuMicros), totalCpu(one)].map((micros) => number(micros)),
        ]),
      },
    ],
    bars: [
      atLeast(
        { name: "share of requests answered 200 at 300/s", limit: 1 },
        fast.answered / fast.operations,
      ),
      atMost({ name: "request p99 at 300/s", limit: requestMaxMs, unit: "ms" }, fast.requests.p99),
      atMost(
        { name: "CPU a payment at 300/s, all processes", limit: cpuMaxMicros, unit: "µs" },
        totalCpu(fast),
      ),
      atMost(
        { name: "callback to payment.completed p99 at 100/s", limit: completedMaxMs, unit: "ms" },
        calm.events.p99,
      ),
    ],
  };
}

function totalCpu({ cpuMicros }: Measured): number {
  return Object.values(cpuMicros).reduce((sum, micros) => sum + micros, 0);
}

type Step = {
  readonly system: LocalSystem;
  readonly events: Completions;
  readonly phones: () => string;
  readonly send: (phone: string) => Promise<number>;
};

async function measureStep(
  { system, events, phones, send }: Step,
  rate: number,
  seconds: number,
): Promise<Measured> {
  events.arrivals.clear();
  const startedAt = performance.now();
  const done = await cpuPerOperationDuring(system.parts, async () => {
    const requests = await sendAtRate(async () => send(phones()), rate, seconds);
    const answered = requests.filter(({ status }) => status === 200).length;
    // The table shows how many are missing after that.
    await eventually(() => events.arrivals.size >= answered, 20_000).catch(() => undefined);
    return { operations: requests.length, requests, answered };
  });
  const { requests, ...sample } = done;
  const requestMs = requests.map(({ ms }) => ms);
  const eventMs = await millisecondsSinceCallbacks(system, events);
  return {
    ...sample,
    elapsedMs: performance.now() - startedAt,
    requests: { p50: percentile(requestMs, 0.5), p99: percentile(requestMs, 0.99) },
    events: { p50: percentile(eventMs, 0.5), p99: percentile(eventMs, 0.99) },
    completed: eventMs.length,
  };
}

/** A client that costs little CPU, because it shares the cores with the system. */
function sender({ environment, headers }: LocalSystem): (phone: string) => Promise<number> {
  const client = new Pool(environment.apiurl, { connections });
  return async (phone) => {
    const { statusCode, body } = await client.request({
      method: "POST",
      path,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ amount: 100, phone, channel: "momo" }),
    });
    await body.dump();
    return statusCode;
  };
}

/** Numbers that the simulator gives no special meaning: they all pay. */
function phoneNumbers(): () => string {
  let last = 254_760_000_000;
  return () => String((last += 1));
}

type Completion = { readonly data: { readonly checkoutrequestid: string } };

type Completions = {
  /** The time of arrival of payment.completed, by checkout. */
  readonly arrivals: Map<string, number>;
  readonly close: () => Promise<void>;
};

async function watchCompletions({ environment }: LocalSystem): Promise<Completions> {
  const { natsurl, natsuser, natspassword } = environment;
  const nats = await connect({ servers: natsurl, user: natsuser, pass: natspassword });
  const arrivals = new Map<string, number>();
  nats.subscribe(eventSubject("malipo", "payment.completed"), {
    callback: (_error, message) => {
      for (const { data } of eventsInMessage(message.json<Completion | Completion[]>())) {
        arrivals.set(data.checkoutrequestid, Date.now());
      }
    },
  });
  await nats.flush();
  return { arrivals, close: async () => nats.close() };
}

type Listed = {
  readonly prompts: readonly {
    readonly checkoutrequestid: string;
    readonly callbacks: readonly { readonly sentat: string }[];
  }[];
  readonly more: boolean;
};

/** Milliseconds from callback to event. The simulator lists its callbacks; it uses the same clock. */
async function millisecondsSinceCallbacks(
  system: LocalSystem,
  { arrivals }: Completions,
): Promise<number[]> {
  const waits: number[] = [];
  for (let after = "", more = true; more;) {
    const query = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const url = `${system.environment.simulatorurl}/prompts?limit=1000${query}`;
    const listed = (await (await fetch(url)).json()) as Listed;
    for (const { checkoutrequestid, callbacks } of listed.prompts) {
      const arrived = arrivals.get(checkoutrequestid);
      const [callback] = callbacks;
      if (arrived !== undefined && callback) waits.push(arrived - Date.parse(callback.sentat));
    }
    after = listed.prompts.at(-1)?.checkoutrequestid ?? "";
    more = listed.more && after !== "";
  }
  return waits;
}
