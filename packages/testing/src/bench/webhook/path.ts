import { setTimeout as sleep } from "node:timers/promises";
import type { EventEnvelope } from "@malipo/contracts";
import { ObjectId } from "mongodb";
import { call, idIn, makeBusiness } from "../../api-client.ts";
import { publishEvents } from "../../event-stream.ts";
import { cpuPerOperationDuring } from "../cpu.ts";
import type { BenchPath, Run } from "../path.ts";
import { memoryOf } from "../process-usage.ts";
import { type LocalSystem, startLocalSystem } from "../product-details/local-system.ts";
import { atLeast, atMost, mebibytes, number, type Outcome, share, withSpread } from "../report.ts";
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
import { writeBacklog } from "./backlog.ts";
import { bareLoop } from "./bare-loop.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const ours = "deliveries";
const bare = "undici 8.12.4 in a loop";
const stepName = "deliveries to one receiver";
/** As many as a business may have; each gets five at once. */
const webhooks = 20;
const inFlight = 5 * webhooks;
const eventsPerSecond = 200;
const warmupSeconds = 1;
const drainWithinMs = 180_000;
const backlogs = { full: 1_000_000, quick: 20_000 };
const backlogSeconds = 20;

export const webhookPath: BenchPath = {
  name: "webhook",
  asks:
    "how fast events become signed, recorded deliveries, how late they are, and what a long " +
    "backlog costs",
  baselines: [`${bare}: the same client, requests and concurrency with nothing around them`],
  effort: { rounds: 7, seconds: 2, connections: inFlight },
  run: measureWebhooks,
};

type Bench = {
  readonly run: Run;
  readonly system: LocalSystem;
  readonly receiver: Receiver;
  readonly webhookPid: number;
};

async function measureWebhooks(run: Run): Promise<Outcome> {
  run.onProgress("starting the whole system and a receiver");
  const system = await startLocalSystem(run.processes);
  const receiver = await startReceiver(run.processes);
  const bench = { run, system, receiver, webhookPid: webhookPidOf(system) };
  const throughput = await measureThroughput(bench);
  const latency = await measureLatency(bench);
  const memory = await measureBacklog(bench);
  return {
    measurements: throughput.measurements,
    tables: [...throughput.tables, latency.table, memory.table],
    bars: [...throughput.bars, ...latency.bars, ...memory.bars],
  };
}

function webhookPidOf({ parts }: LocalSystem): number {
  const webhook = parts.find(({ name }) => name === "webhook");
  if (!webhook) throw new Error("the webhook service does not run");
  return webhook.pid;
}

/** A business of its own with so many webhooks to one path of the receiver. */
async function newBusiness(
  { system: { environment }, receiver }: Bench,
  path: string,
  count: number,
): Promise<{ businessid: string; webhookids: readonly string[] }> {
  const { businessid, secret } = await makeBusiness({
    operatorUrl: environment.operatorurl,
    operatorToken: environment.operatortoken,
  });
  const create = `${environment.apiurl}/business/webhook/create`;
  const body = { url: receiver.url + path };
  const webhookids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    webhookids.push(idIn(await call(create, "POST", secret, body)));
  }
  return { businessid, webhookids };
}

function paymentEvent(businessid: string): EventEnvelope {
  const recordid = new ObjectId().toHexString();
  const data = {
    transactionid: recordid,
    checkoutrequestid: "ws_CO_191220191020363925",
    amount: 1_500,
    phone: "254712345678",
    momoreceiptnumber: "NLJ7RT61SV",
    referenceid: "order-2026-11",
    status: "completed",
    reason: null,
  };
  return {
    id: `evt_${new ObjectId().toHexString()}`,
    type: "payment.completed",
    seq: 2,
    businessid,
    recordid,
    at: new Date().toISOString(),
    data,
    inside: { invoiceid: null, subscriptionid: null, customerid: null, paymentlinkid: null },
  };
}

function bodyOf({ id, type, at, data }: EventEnvelope): string {
  return JSON.stringify({ id, type, created: at, data });
}

async function publish({ system: { environment } }: Bench, events: readonly EventEnvelope[]) {
  const { natsurl, natsuser, natspassword } = environment;
  await publishEvents({ natsUrl: natsurl, namespace: "malipo" }, events, {
    user: natsuser,
    pass: natspassword,
  });
}

async function measureThroughput(
  bench: Bench,
): Promise<Pick<Outcome, "measurements" | "tables" | "bars">> {
  const { run, system, receiver } = bench;
  const { businessid } = await newBusiness(bench, "/counted", webhooks);
  const parts = system.parts.filter(({ name }) => name !== "supervisor");
  const deliver: Contender = {
    name: ours,
    // From the first publication to the last arrival: the log and its deliveries are written, too.
    measure: async (seconds) => {
      const count = Math.ceil((seconds * 2_000) / webhooks);
      const events = Array.from({ length: count }, () => paymentEvent(businessid));
      await receiver.reset();
      return cpuPerOperationDuring(parts, async () => {
        const startedAt = performance.now();
        await publish(bench, events);
        const operations = count * webhooks;
        await receiver.until(({ taken }) => taken >= operations, drainWithinMs);
        return { operations, elapsedMs: performance.now() - startedAt };
      });
    },
  };
  const loop = bareLoop(
    bare,
    `${receiver.url}/counted`,
    bodyOf(paymentEvent(businessid)),
    inFlight,
  );
  const { rounds, seconds, onProgress } = run;
  const steps = [{ name: stepName, contenders: [deliver, loop] }];
  const measurements = await runRounds(steps, { rounds, seconds, warmupSeconds, onProgress });
  const [own, theirs] = [ours, bare].map((name) => samplesOf(measurements, stepName, name));
  const rates = comparisonOf(own ?? [], theirs ?? [], ratePerSecond, ratio);
  const rate = summaryOf(own ?? [], ratePerSecond);
  return {
    measurements,
    tables: [
      {
        title: `${stepName}, ${inFlight} at once; medians (spread)`,
        columns: ["", "a second", "CPU µs each", "of which webhook service and client"],
        rows: measurements.map(({ contender, samples }) => [
          contender,
          withSpread(summaryOf(samples, ratePerSecond)),
          withSpread(summaryOf(samples, cpuPerOperation)),
          number(
            summaryOf(
              samples,
              ({ cpuMicros }) => (cpuMicros["webhook"] ?? 0) + (cpuMicros["client"] ?? 0),
            ).median,
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
      atLeast({ asks: "deliveries", limit: 2_000, unit: "a second" }, rate.median),
      atLeast({ asks: "share of the bare loop's rate", limit: 0.35 }, rates.median),
    ],
  };
}

async function measureLatency(bench: Bench): Promise<Pick<Outcome, "bars"> & { table: Table }> {
  const { run, receiver } = bench;
  const { businessid } = await newBusiness(bench, "/timed", 1);
  const seconds = run.quick ? 3 : 15;
  run.onProgress(`${eventsPerSecond} events a second for ${seconds} seconds`);
  await receiver.reset();
  const startedAt = performance.now();
  for (let sent = 0; sent < seconds * eventsPerSecond; sent += 10) {
    await publish(
      bench,
      Array.from({ length: 10 }, () => paymentEvent(businessid)),
    );
    const dueInMs = startedAt + ((sent + 10) / eventsPerSecond) * 1_000 - performance.now();
    if (dueInMs > 0) await sleep(dueInMs);
  }
  const expected = seconds * eventsPerSecond;
  const { waitsMs } = await receiver.until((seen) => seen.waitsMs.length >= expected, 60_000);
  const sorted = waitsMs.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return {
    table: {
      title: `From event to first attempt at ${eventsPerSecond} events a second, ms`,
      columns: ["", "p50", "p99", "most"],
      rows: [["wait", number(at(0.5)), number(at(0.99)), number(at(1))]],
    },
    bars: [atMost({ asks: "event to first attempt, p99", limit: 500, unit: "ms" }, at(0.99))],
  };
}

type Table = Outcome["tables"][number];

async function measureBacklog(bench: Bench): Promise<Pick<Outcome, "bars"> & { table: Table }> {
  const { run, system, receiver, webhookPid } = bench;
  const count = run.quick ? backlogs.quick : backlogs.full;
  const { businessid, webhookids } = await newBusiness(bench, "/counted", 1);
  const [webhookid = ""] = webhookids;
  const body = bodyOf(paymentEvent(businessid));
  run.onProgress(`writing a backlog of ${number(count)} deliveries`);
  const before = (await memoryOf(webhookPid)).rssBytes;
  const { mongodburi } = system.environment;
  await writeBacklog(mongodburi, { businessid, webhookid, body }, count, run.onProgress);
  await receiver.reset();
  await publish(bench, [paymentEvent(businessid)]);
  await receiver.until(({ taken }) => taken > 0, 60_000);
  let most = 0;
  for (let second = 0; second < backlogSeconds; second += 1) {
    most = Math.max(most, (await memoryOf(webhookPid)).rssBytes);
    await sleep(1_000);
  }
  const { taken } = await receiver.reset();
  return {
    table: {
      title: `The webhook service with ${number(count)} deliveries waiting for one webhook`,
      columns: ["", "MiB before", "MiB at most", "delivered a second"],
      rows: [["backlog", mebibytes(before), mebibytes(most), number(taken / backlogSeconds)]],
    },
    bars: [
      atMost(
        { asks: "memory added by the backlog", limit: 100, unit: "MiB" },
        (most - before) / 1_024 ** 2,
      ),
    ],
  };
}
