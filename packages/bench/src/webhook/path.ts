import { openPublisher } from "@malipo/testing/without-vitest";
import { cpuPerOperationDuring } from "../cpu.ts";
import type { BenchPath, Run } from "../path.ts";
import { type LocalSystem, startLocalSystem } from "../product-details/local-system.ts";
import { atLeast, atMost, number, type Outcome, share, withSpread } from "../report.ts";
import {
  comparisonOf,
  type Contender,
  cpuPerOperation,
  ratePerSecond,
  runRounds,
  samplesOf,
  summaryOf,
} from "../rounds.ts";
import { ratio } from "../statistics.ts";
import { bareLoop } from "./bare-loop.ts";
import { bodyOf, createBusiness, paymentEvent, type WebhookBench } from "./bench.ts";
import { measureDueScan } from "./due-scan.ts";
import { measureLatency } from "./latency.ts";
import { startReceiver } from "./receiver.ts";
import { measureBacklogMemory } from "./backlog-memory.ts";

const ours = "deliveries";
const bare = "undici 8.12.4 in a loop";
const stepName = "deliveries to one receiver";
/** The most that a business may have. */
const webhooks = 20;
/** The webhook service sends five deliveries at a time to each webhook. */
const inFlight = 5 * webhooks;
/** A new process gets faster during its first hundred thousand deliveries; production processes are older. */
const warmupSeconds = 20;
/** About the real rate, so that a round takes as long as a round of the loop. */
const deliveriesPerSecond = 10_000;
const drainWithinMs = 300_000;

export const webhookPath: BenchPath = {
  name: "webhook",
  measures:
    "how fast events become signed, recorded deliveries, how late they are, and what a long " +
    "backlog costs",
  baselines: [`${bare}: the same client, requests and concurrency with nothing around them`],
  effort: { rounds: 7, seconds: 2, connections: inFlight },
  run: measureWebhooks,
};

/** The parts that use most CPU; all others are in the sum only. */
const shownParts = [
  ["webhook service or client", ["webhook", "client"]],
  ["store", ["store"]],
  ["receiver", ["receiver"]],
  ["publisher", ["publisher"]],
] as const;

function sumOf(cpuMicros: Readonly<Record<string, number>>, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (cpuMicros[name] ?? 0), 0);
}

async function measureWebhooks(run: Run): Promise<Outcome> {
  run.onProgress("starting the whole system and a receiver");
  const system = await startLocalSystem(run.processes);
  const receiver = await startReceiver(run.processes);
  const { natsurl: natsUrl, natsuser: user, natspassword: pass } = system.environment;
  const publisher = await openPublisher({ natsUrl, namespace: "malipo" }, { user, pass });
  try {
    return await measureAll({ run, system, receiver, publisher, webhookPid: webhookPidOf(system) });
  } finally {
    await publisher.close();
  }
}

async function measureAll(bench: WebhookBench): Promise<Outcome> {
  const throughput = await measureThroughput(bench);
  const latency = await measureLatency(bench);
  const dueScan = await measureDueScan(bench);
  const memory = await measureBacklogMemory(bench);
  return {
    measurements: throughput.measurements,
    tables: [...throughput.tables, latency.table, dueScan.table, memory.table],
    bars: [...throughput.bars, ...latency.bars, ...dueScan.bars, ...memory.bars],
  };
}

function webhookPidOf({ parts }: LocalSystem): number {
  const webhook = parts.find(({ name }) => name === "webhook");
  if (!webhook) throw new Error("the webhook service does not run");
  return webhook.pid;
}

async function measureThroughput(
  bench: WebhookBench,
): Promise<Pick<Outcome, "measurements" | "tables" | "bars">> {
  const { run, system, receiver, publisher } = bench;
  const { businessid } = await createBusiness(bench, "/counted", webhooks);
  const parts = [
    ...system.parts.filter(({ name }) => name !== "supervisor"),
    { name: "receiver", pid: receiver.pid },
    { name: "publisher", pid: process.pid },
  ];
  const deliver: Contender = {
    name: ours,
    // From the first publication to the last arrival, which includes writing event log and deliveries.
    measure: async (seconds) => {
      const count = Math.ceil((seconds * deliveriesPerSecond) / webhooks);
      const events = Array.from({ length: count }, () => paymentEvent(businessid));
      await receiver.reset();
      return cpuPerOperationDuring(parts, async () => {
        const startedAt = performance.now();
        await publisher.publish(events);
        const operations = count * webhooks;
        await receiver.waitFor(operations, drainWithinMs);
        return { operations, elapsedMs: performance.now() - startedAt };
      });
    },
  };
  const body = bodyOf(paymentEvent(businessid));
  const loop = bareLoop(bare, receiver, body, inFlight);
  const { rounds, seconds, onProgress } = run;
  const steps = [{ name: stepName, contenders: [deliver, loop] }];
  const measurements = await runRounds(steps, { rounds, seconds, warmupSeconds, onProgress });
  const [own, theirs] = [ours, bare].map((name) => samplesOf(measurements, stepName, name));
  const rates = comparisonOf(own ?? [], theirs ?? [], ratePerSecond, ratio);
  const rate = summaryOf(own ?? [], ratePerSecond);
  const cpu = summaryOf(own ?? [], cpuPerOperation);
  return {
    measurements,
    tables: [
      {
        title: `${stepName}, ${inFlight} at once; medians (spread)`,
        columns: ["", "a second", "CPU µs each", ...shownParts.map(([title]) => title)],
        rows: measurements.map(({ contender, samples }) => [
          contender,
          withSpread(summaryOf(samples, ratePerSecond)),
          withSpread(summaryOf(samples, cpuPerOperation)),
          ...shownParts.map(([, names]) =>
            number(summaryOf(samples, ({ cpuMicros }) => sumOf(cpuMicros, names)).median),
          ),
        ]),
      },
      {
        title: "Deliveries to requests of the bare loop",
        columns: ["", "share"],
        rows: [["rate", withSpread(rates, share)]],
      },
    ],
    bars: [
      atLeast({ name: "deliveries", limit: 2_000, unit: "a second" }, rate.median),
      atLeast({ name: "share of the bare loop's rate", limit: 0.25 }, rates.median),
      // 1,000 µs is all of two cores at 2,000 a second. CPU depends less on the machine than a rate.
      atMost({ name: "CPU of all processes for each", limit: 1_000, unit: "µs" }, cpu.median),
    ],
  };
}
