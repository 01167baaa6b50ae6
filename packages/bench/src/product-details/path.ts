import type { Part } from "../cpu.ts";
import type { BenchPath, Run } from "../path.ts";
import { memoryOf } from "../process-usage.ts";
import {
  atLeast,
  mebibytes,
  number,
  share,
  withSpread,
  type Outcome,
  type Table,
} from "../report.ts";
import {
  comparisonOf,
  cpuPerOperation,
  ratePerSecond,
  runRounds,
  samplesOf,
  summaryOf,
  type Measurement,
  type Sample,
} from "../rounds.ts";
import { ratio } from "../statistics.ts";
import { baselines, floor, installBaselines, nestjs, startBaseline } from "./baselines.ts";
import { contenderFor } from "./contender.ts";
import { startLocalSystem } from "./local-system.ts";
import { startNats } from "./nats-server.ts";
import { assertWrkIsInstalled } from "./wrk.ts";

const ours = "Malipo";
const stepName = "product details";
const floorShareMin = 0.6;
const nestjsShareMin = 1;
const warmupSeconds = 3;

export const productDetailsPath: BenchPath = {
  name: "product-details",
  measures:
    "what GET /business/product/details/:id costs through gateway, NATS, service and store, by a " +
    "business without the product limit",
  baselines: baselines.map(({ name, what }) => `${name}: ${what}`),
  // Many short rounds: a shared machine changes its speed from second to second.
  effort: { rounds: 11, seconds: 2, connections: 64 },
  run: measureProductDetails,
};

async function measureProductDetails(run: Run): Promise<Outcome> {
  const { processes, connections, onProgress } = run;
  await assertWrkIsInstalled(processes);
  await installBaselines(processes, onProgress);
  onProgress("starting the whole system and the baselines");
  const system = await startLocalSystem(processes);
  const contenders = [contenderFor(run, ours, system)];
  const nats = await startNats(processes, onProgress);
  for (const baseline of baselines) {
    const running = await startBaseline(processes, baseline, nats, system.product);
    contenders.push(contenderFor(run, baseline.name, running));
  }
  const replyBytes = Buffer.byteLength(system.product.reply);
  onProgress(
    `${contenders.length} contenders, ${connections} connections, ${replyBytes}-byte reply`,
  );
  const measurements = await runRounds([{ name: stepName, contenders }], {
    rounds: run.rounds,
    seconds: run.seconds,
    warmupSeconds,
    onProgress,
  });
  return {
    measurements,
    tables: [rateTable(measurements), cpuTable(measurements), await memoryTable(system.parts)],
    bars: [
      rateShareBar(measurements, floor.name, floorShareMin),
      rateShareBar(measurements, nestjs.name, nestjsShareMin),
    ],
  };
}

const rateShare = (measurements: readonly Measurement[], baseline: string) =>
  comparisonOf(
    samplesOf(measurements, stepName, ours),
    samplesOf(measurements, stepName, baseline),
    ratePerSecond,
    ratio,
  );

function rateShareBar(measurements: readonly Measurement[], baseline: string, limit: number) {
  const name = `${ours} ÷ ${baseline}, requests per second`;
  return atLeast({ name, limit }, rateShare(measurements, baseline).median);
}

const latency = (of: "p50" | "p99") => (sample: Sample) => sample.latencyMs?.[of] ?? Number.NaN;

function rateTable(measurements: readonly Measurement[]): Table {
  return {
    title: "GET /business/product/details/:id; medians (spread)",
    columns: ["", "requests/s", "best round", `${ours} ÷ baseline`, "p50 ms", "p99 ms"],
    rows: measurements.map(({ contender, samples }) => [
      contender,
      withSpread(summaryOf(samples, ratePerSecond)),
      number(Math.max(...samples.map(ratePerSecond))),
      withSpread(rateShare(measurements, contender), share),
      withSpread(summaryOf(samples, latency("p50"))),
      withSpread(summaryOf(samples, latency("p99"))),
    ]),
  };
}

const partCpu = (part: string) => (sample: Sample) => sample.cpuMicros[part] ?? 0;

function cpuTable(measurements: readonly Measurement[]): Table {
  const parts = ["gateway", "service", "nats", "store", "supervisor"];
  return {
    title: "CPU of the server processes in µs per request; medians, the sum with its spread",
    columns: ["", ...parts, "together"],
    rows: measurements.map(({ contender, samples }) => [
      contender,
      ...parts.map((part) => number(summaryOf(samples, partCpu(part)).median)),
      withSpread(summaryOf(samples, cpuPerOperation)),
    ]),
  };
}

async function memoryTable(parts: readonly Part[]): Promise<Table> {
  const memory = await Promise.all(
    parts.map(async ({ name, pid }) => ({ name, ...(await memoryOf(pid)) })),
  );
  const total = memory.reduce((sum, { pssBytes }) => sum + pssBytes, 0);
  return {
    title: `Memory of ${ours} after the load, in MiB`,
    columns: ["", "RSS", "PSS"],
    rows: [
      ...memory.map(({ name, rssBytes, pssBytes }) => [
        name,
        mebibytes(rssBytes),
        mebibytes(pssBytes),
      ]),
      ["together", "", mebibytes(total)],
    ],
  };
}
