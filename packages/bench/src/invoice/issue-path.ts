import { setTimeout as sleep } from "node:timers/promises";
import { countUnpublishedRecords } from "@malipo/platform";
import { type EventOf, eventSubject } from "@malipo/contracts";
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { ObjectId } from "mongodb";
import { type Backend, namespace, startBackend } from "../backend.ts";
import { type ProgressSample, rateBetween, sampleProgress } from "../progress.ts";
import type { BenchPath, Run } from "../path.ts";
import { atLeast, atMost, number, type Outcome } from "../report.ts";
import { seedCustomer } from "./seed-customer.ts";

const fullSizes = { all: 100_000, window: 1_000, warmup: 5_000 };
const quickSizes = { all: 10_000, window: 1_000, warmup: 2_000 };
const rateMin = 3_000;
const growthMax = 1.15;
const inFlight = 500;
const pollMs = 20;

export const invoiceIssuePath: BenchPath = {
  name: "invoice-issue",
  measures:
    "how fast invoices are issued from subscription.billed events, numbered and with their events",
  baselines: ["itself: the first thousands against the last of a hundred thousand"],
  effort: { rounds: 1, seconds: 1, connections: 1 },
  run: measureIssue,
};

async function measureIssue(run: Run): Promise<Outcome> {
  const sizes = run.quick ? quickSizes : fullSizes;
  run.onProgress("starting NATS, the store and the invoice service");
  const bench = await startBackend(run, ["invoice"]);
  try {
    run.onProgress(`warming up with ${sizes.warmup}`);
    await issue(bench, sizes.warmup);
    run.onProgress(`issuing ${sizes.all.toLocaleString("en")}`);
    const samples = await issue(bench, sizes.all);
    return outcomeOf(samples, sizes);
  } finally {
    await bench.close();
  }
}

function outcomeOf(samples: readonly ProgressSample[], { all, window }: typeof fullSizes): Outcome {
  const windowed = [1, 10, 50, 100]
    .map((tenth) => (all / 100) * tenth)
    .map((end) => ({ end, ...rateBetween(samples, Math.max(0, end - 5 * window), end) }));
  const whole = rateBetween(samples, 0, all);
  const [first, last] = [windowed[1], windowed.at(-1)];
  const growth = (last?.cpuMicros ?? Number.NaN) / (first?.cpuMicros ?? Number.NaN);
  return {
    measurements: [],
    tables: [
      {
        title: "Invoices issued, up to this one; CPU in µs per invoice, of NATS, store and service",
        columns: ["", "invoices/s", "CPU"],
        rows: [...windowed, { end: all, ...whole }].map(({ end, rate, cpuMicros }, index) => [
          index === windowed.length ? "all" : end.toLocaleString("en"),
          number(rate),
          number(cpuMicros),
        ]),
      },
    ],
    bars: [
      atLeast({ name: "invoices issued", limit: rateMin, unit: "a second" }, whole.rate),
      atLeast(
        { name: "the same by CPU, two cores", limit: rateMin, unit: "a second" },
        2_000_000 / whole.cpuMicros,
      ),
      atMost({ name: "CPU of the last thousands ÷ the first", limit: growthMax }, growth),
    ],
  };
}

/** Publishes all billing events while the service is stopped, then samples its progress. */
async function issue(
  { nats, database: databaseOf, parts }: Backend,
  count: number,
): Promise<ProgressSample[]> {
  const database = databaseOf("invoice");
  const businessid = new ObjectId();
  const customerid = await seedCustomer(database, businessid);
  const service = parts.find(({ name }) => name === "invoice")?.pid ?? 0;
  process.kill(service, "SIGSTOP");
  try {
    await bill(nats, String(businessid), String(customerid), count);
  } finally {
    process.kill(service, "SIGCONT");
  }
  const invoices = database.collection("invoices");
  const numbering = database.collection<{ _id: string; last: number }>("numbering");
  const before = await invoices.estimatedDocumentCount();
  const samples: ProgressSample[] = [];
  for (;;) {
    const counter = await numbering.findOne({ _id: `INV:${String(businessid)}` });
    samples.push(await sampleProgress(parts, counter?.last ?? 0));
    if ((counter?.last ?? 0) >= count) break;
    await sleep(pollMs);
  }
  samples.pop();
  // All numbers are taken. The last invoices are still to be written, and their events to be published.
  const isDone = async (): Promise<boolean> =>
    (await invoices.estimatedDocumentCount()) >= before + count &&
    (await countUnpublishedRecords(database, "invoices")) === 0;
  while (!(await isDone())) await sleep(pollMs);
  return [...samples, await sampleProgress(parts, count)];
}

async function bill(nats: NatsConnection, businessid: string, customerid: string, count: number) {
  const stream = jetstream(nats);
  const subject = eventSubject(namespace, "subscription.billed");
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const event = billed(businessid, customerid, next);
      await stream.publish(subject, JSON.stringify(event), { msgID: event.id });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

function billed(
  businessid: string,
  customerid: string,
  seq: number,
): EventOf<"subscription.billed"> {
  const subscriptionid = new ObjectId().toHexString();
  const at = new Date().toISOString();
  return {
    id: `evt_${subscriptionid}`,
    type: "subscription.billed",
    seq: 1,
    businessid,
    recordid: subscriptionid,
    at,
    data: {
      key: { subscriptionid, why: "cycle", of: at },
      customerid,
      title: `Internet ${seq}`,
      items: [{ itemid: subscriptionid, title: "Internet", quantity: 1, rate: 2_500 }],
      duedate: "2030-01-31T20:59:59.999Z",
    },
    inside: undefined,
  };
}
