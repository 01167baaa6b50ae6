import { MongoClient, ObjectId } from "mongodb";
import { atMost, number, type Outcome } from "../report.ts";
import { ratio } from "../statistics.ts";
import { writeDeliveries } from "./write-deliveries.ts";
import { type WebhookBench, bodyOf, paymentEvent, type Table } from "./bench.ts";

const finished = { full: 200_000, quick: 5_000 };
const waiting = 500;
const readAtOnce = 100;
const timedReads = 101;
const writeWithinMs = 90_000;

/** Measures what it costs to find due deliveries, without and with many finished ones beside them. */
export async function measureDueScan({
  run,
  system,
}: WebhookBench): Promise<Pick<Outcome, "bars"> & { table: Table }> {
  const { mongodburi } = system.environment;
  // No such webhook exists, so no worker takes these deliveries: only reading is measured.
  const ids = { businessid: String(new ObjectId()), webhookid: String(new ObjectId()) };
  const kind = { ...ids, body: bodyOf(paymentEvent(ids.businessid)) };
  const work = { withinMs: writeWithinMs, onProgress: run.onProgress };
  await writeDeliveries(mongodburi, { ...kind, status: "pending" }, { ...work, count: waiting });
  const before = await costOfReading(mongodburi, ids.webhookid);
  const asked = run.quick ? finished.quick : finished.full;
  run.onProgress(`writing ${number(asked)} finished deliveries`);
  const delivered = { ...kind, status: "delivered" } as const;
  const count = await writeDeliveries(mongodburi, delivered, { ...work, count: asked });
  const after = await costOfReading(mongodburi, ids.webhookid);
  return {
    table: {
      title: `Finding ${readAtOnce} deliveries that are due, beside finished ones`,
      columns: ["", "keys read", "documents read", "ms (median)"],
      rows: [
        ["none finished", number(before.keys), number(before.documents), number(before.ms)],
        [
          `${number(count)} finished`,
          number(after.keys),
          number(after.documents),
          number(after.ms),
        ],
      ],
    },
    bars: [
      atMost(
        { name: "keys read to find due deliveries", limit: before.keys, unit: "keys" },
        after.keys,
      ),
      atMost(
        { name: "time to find them ÷ with none finished", limit: 1.5 },
        ratio(after.ms, before.ms),
      ),
    ],
  };
}

interface Cost {
  readonly keys: number;
  readonly documents: number;
  readonly ms: number;
}

/** Reads with the same query as the webhook service. */
async function costOfReading(uri: string, webhookid: string): Promise<Cost> {
  const client = await MongoClient.connect(uri);
  try {
    const deliveries = client.db("malipo_webhook").collection("deliveries");
    const due = () =>
      deliveries
        .find({ endpointid: new ObjectId(webhookid), dueat: { $lte: new Date() } })
        .sort({ dueat: 1 })
        .limit(readAtOnce);
    const { executionStats } = await due().explain("executionStats");
    const times: number[] = [];
    for (let read = 0; read < timedReads; read += 1) {
      const startedAt = performance.now();
      await due().toArray();
      times.push(performance.now() - startedAt);
    }
    return {
      keys: executionStats.totalKeysExamined,
      documents: executionStats.totalDocsExamined,
      ms: times.toSorted((a, b) => a - b)[Math.floor(timedReads / 2)] ?? 0,
    };
  } finally {
    await client.close();
  }
}
