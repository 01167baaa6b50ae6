import { createHash } from "node:crypto";
import { addMs, dayMs } from "@malipo/core";
import { MongoClient, ObjectId } from "mongodb";

const batchMax = 1_000;
const batchesAtOnce = 2;
const reportEveryMs = 10_000;

interface DeliveryKind {
  readonly businessid: string;
  readonly webhookid: string;
  readonly body: string;
  /** Pending deliveries are due now. */
  readonly status: "pending" | "delivered";
}

interface Amount {
  readonly count: number;
  /** Writing stops after this time, with fewer deliveries. */
  readonly withinMs: number;
  readonly onProgress: (text: string) => void;
}

/** Inserts deliveries as the webhook service stores them; resolves to their number. */
export async function writeDeliveries(
  uri: string,
  kind: DeliveryKind,
  { count, withinMs, onProgress }: Amount,
): Promise<number> {
  const client = await MongoClient.connect(uri);
  try {
    const deliveries = client.db("malipo_webhook").collection("deliveries");
    const startedAt = performance.now();
    let reportedAt = startedAt;
    let begun = 0;
    const writeBatches = async (): Promise<void> => {
      while (begun < count && performance.now() - startedAt < withinMs) {
        const from = begun;
        const size = Math.min(batchMax, count - from);
        begun += size;
        const batch = Array.from({ length: size }, (_, index) => deliveryOf(kind, from + index));
        await deliveries.insertMany(batch, { ordered: false });
        if (performance.now() - reportedAt > reportEveryMs) {
          reportedAt = performance.now();
          onProgress(`  ${begun.toLocaleString("en")} of ${count.toLocaleString("en")}`);
        }
      }
    };
    await Promise.all(Array.from({ length: batchesAtOnce }, writeBatches));
    return begun;
  } finally {
    await client.close();
  }
}

function deliveryOf({ businessid, webhookid, body, status }: DeliveryKind, number: number) {
  const eventid = `evt_${status}${number}`;
  const key = `${webhookid} ${eventid}`;
  const id = createHash("sha256").update(key).digest("hex").slice(0, 24);
  const now = new Date();
  const isDone = status === "delivered";
  const attempt = { id, at: now, milliseconds: 3, status: 200, problem: null, response: "" };
  return {
    _id: new ObjectId(id),
    businessid: new ObjectId(businessid),
    endpointid: new ObjectId(webhookid),
    eventid,
    type: "payment.completed",
    resourceid: id,
    sequence: 1,
    body,
    ...(!isDone && { dueat: now }),
    createdat: now,
    status,
    tries: 0,
    attempts: isDone ? 1 : 0,
    problem: null,
    version: 1,
    log: isDone ? [attempt] : [],
    updatedat: now,
    expiresat: addMs(now, 30 * dayMs),
  };
}
