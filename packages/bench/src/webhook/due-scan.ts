import { MongoClient, ObjectId } from "mongodb";
import { atMost, number, type Outcome } from "../report.ts";
import { ratio } from "../statistics.ts";
import { writeDeliveries } from "./write-deliveries.ts";
import { type Bench, bodyOf, paymentEvent, type Table } from "./bench.ts";

const finished = { full: 200_000, quick: 5_000 };
const waiting = 500;
const readAtOnce = 100;
const timedReads = 101;
const writeWithinMs = 90_000;

/** What it costs to find what is due, with nothing finished beside it and with very much. */
export async function measureDueScan({
  run,
  system,
}: Bench): Promise<Pick<Outcome, "bars"> & { table: Table }> {
  const { mongodburi } = system.environment;
  // Of a webhook that nobody serves: only the reading is measured.
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
      atMost({ asks: "read to find what is due", limit: before.keys, unit: "keys" }, after.keys),
      atMost(
        { asks: "time to find it to that with none finished", limit: 1.5 },
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

/** By the service's own query. */
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
