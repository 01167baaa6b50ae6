import { setTimeout as sleep } from "node:timers/promises";
import { countUnpublishedRecords } from "@malipo/platform";
import { contextHeader, replyHeaders, routes, rpcSubject } from "@malipo/contracts";
import { dayMs } from "@malipo/core";
import { headers } from "@nats-io/transport-node";
import { ObjectId } from "mongodb";
import { type Backend, namespace, startBackend } from "../backend.ts";
import { type ProgressSample, rateBetween, sampleProgress, sumOf } from "../progress.ts";
import type { BenchPath, Run } from "../path.ts";
import { atLeast, atMost, number, type Outcome } from "../report.ts";
import { seedBusiness, seedSubscriptions } from "./seed.ts";

const fullSizes = { all: 100_000, window: 5_000, warmup: 5_000, idle: 1_000_000, few: 100 };
const quickSizes = { all: 10_000, window: 2_000, warmup: 2_000, idle: 50_000, few: 100 };
const rateMin = 2_000;
const growthMax = 1.15;
const idleMax = 1.5;
const pollMs = 20;
const settleMs = 1_000;
const requestTimeoutMs = 5_000;

export const billingRunPath: BenchPath = {
  name: "billing-run",
  measures:
    "how fast due subscriptions are billed: date advanced, invoice issued, events on the stream",
  baselines: [
    "itself: the first thousands against the last, and few due among few against few among many",
  ],
  effort: { rounds: 1, seconds: 1, connections: 1 },
  run: measureBilling,
};

async function measureBilling(run: Run): Promise<Outcome> {
  const sizes = run.quick ? quickSizes : fullSizes;
  const { onProgress } = run;
  onProgress("starting NATS, the store, and the services that bill");
  const bench = await startBackend(run, ["invoice", "subscription", "scheduler"], {
    PROMPT_HOURS: quietHours(new Date()),
  });
  try {
    const business = await seedBusiness(bench);
    const scheduler = bench.parts.find(({ name }) => name === "scheduler")?.pid ?? 0;
    const bill = async (count: number): Promise<ProgressSample[]> => {
      // A run of the scheduler's own would bill some of them before the measurement starts.
      process.kill(scheduler, "SIGSTOP");
      await seedSubscriptions(bench, business, count, new Date(Date.now() - dayMs));
      return billAll(bench, count, () => process.kill(scheduler, "SIGCONT"));
    };
    onProgress(`warming up with ${sizes.warmup}`);
    await bill(sizes.warmup);
    onProgress(`billing ${sizes.few} among few`);
    const few = costOf(await bill(sizes.few));
    onProgress(`billing ${sizes.all}`);
    const samples = await bill(sizes.all);
    onProgress(`billing ${sizes.few} among ${sizes.idle} that are not due`);
    await seedSubscriptions(bench, business, sizes.idle, new Date(Date.now() + 300 * dayMs));
    await sleep(settleMs);
    const among = costOf(await bill(sizes.few));
    const names = bench.parts.map(({ name }) => name);
    return outcomeOf(names, samples, few, among, sizes);
  } finally {
    await bench.close();
  }
}

/** Hours for prompts that are not now: prompting is not part of this measurement. */
function quietHours(now: Date): string {
  const inNairobi = (now.getUTCHours() + 3) % 24;
  return inNairobi < 12 ? "22-23" : "1-2";
}

const costOf = (samples: readonly ProgressSample[]): number =>
  (sumOf(samples.at(-1)?.usedMicros ?? []) - sumOf(samples[0]?.usedMicros ?? [])) / 1_000;

/** Samples from the start of the scheduler until the events of the last invoice are on the stream. */
async function billAll(
  { nats, database, parts }: Backend,
  count: number,
  begin: () => void,
): Promise<ProgressSample[]> {
  const invoices = database("invoice").collection("invoices");
  const before = await invoices.estimatedDocumentCount();
  const samples: ProgressSample[] = [await sampleProgress(parts, 0)];
  begin();
  await startRun(nats);
  for (;;) {
    const issued = (await invoices.estimatedDocumentCount()) - before;
    const isPublished =
      issued >= count &&
      (await countUnpublishedRecords(database("invoice"), "invoices")) === 0 &&
      (await countUnpublishedRecords(database("subscription"), "subscriptions")) === 0;
    // The last invoice counts once all events are published.
    samples.push(await sampleProgress(parts, isPublished ? count : Math.min(issued, count - 1)));
    if (isPublished) return samples;
    await sleep(pollMs);
  }
}

/** Sends the request that the gateway would send. */
async function startRun(nats: Backend["nats"]): Promise<void> {
  const written = headers();
  const requestid = new ObjectId().toHexString();
  const deadline = Date.now() + requestTimeoutMs;
  written.set(contextHeader, JSON.stringify({ requestid, deadline, params: {} }));
  const reply = await nats.request(
    rpcSubject(namespace, routes.startRun),
    JSON.stringify({ job: "subscriptions-due" }),
    { timeout: requestTimeoutMs, headers: written },
  );
  if (reply.headers?.get(replyHeaders.status) !== "200") throw new Error(reply.string());
}

function outcomeOf(
  names: readonly string[],
  samples: readonly ProgressSample[],
  few: number,
  among: number,
  { all, window, idle, few: count }: typeof fullSizes,
): Outcome {
  const ends = Array.from({ length: all / window }, (_, index) => (index + 1) * window);
  const windowed = ends.map((end) => ({ end, ...rateBetween(samples, end - window, end) }));
  const whole = rateBetween(samples, 0, all);
  const [first] = windowed;
  const last = windowed.at(-1);
  const growth = (last?.cpuMicros ?? Number.NaN) / (first?.cpuMicros ?? Number.NaN);
  return {
    measurements: [],
    tables: [
      {
        title: "Subscriptions billed, up to this one; CPU in µs each, of all and of each process",
        columns: ["", "subscriptions/s", "CPU", ...names],
        rows: [...windowed, { end: all, ...whole }].map(
          ({ end, rate, cpuMicros, partMicros }, index) => [
            index === windowed.length ? "all" : end.toLocaleString("en"),
            ...[rate, cpuMicros, ...partMicros].map(number),
          ],
        ),
      },
      {
        title: `CPU in ms of a run that finds ${count} due`,
        columns: ["", "ms"],
        rows: [
          ["among few", number(few)],
          [`among ${idle.toLocaleString("en")}`, number(among)],
        ],
      },
    ],
    bars: [
      atLeast({ name: "subscriptions billed", limit: rateMin, unit: "a second" }, whole.rate),
      atLeast(
        { name: "the same by CPU, two cores", limit: rateMin, unit: "a second" },
        2_000_000 / whole.cpuMicros,
      ),
      atMost({ name: "CPU of the last thousands ÷ the first", limit: growthMax }, growth),
      atMost({ name: "CPU of few due among many ÷ among few", limit: idleMax }, among / few),
    ],
  };
}
