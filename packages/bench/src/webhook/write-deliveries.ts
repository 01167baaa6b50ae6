import { createHash } from "node:crypto";
import { addMs, dayMs } from "@malipo/core";
import { MongoClient, ObjectId } from "mongodb";

const batchMax = 1_000;
const batchesAtOnce = 2;
const reportEveryMs = 10_000;

interface Kind {
  readonly businessid: string;
  readonly webhookid: string;
  readonly body: string;
  /** Those that wait are due now. */
  readonly status: "pending" | "delivered";
}

interface Work {
  readonly count: number;
  /** It ends then with fewer. */
  readonly withinMs: number;
  readonly onProgress: (text: string) => void;
}

/** Deliveries as the webhook service would have written them; says how many. */
export async function writeDeliveries(
  uri: string,
  kind: Kind,
  { count, withinMs, onProgress }: Work,
): Promise<number> {
  const client = await MongoClient.connect(uri);
  try {
    const deliveries = client.db("malipo_webhook").collection("deliveries");
    const startedAt = performance.now();
    let reportedAt = startedAt;
    let begun = 0;
    const writeOn = async (): Promise<void> => {
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
    await Promise.all(Array.from({ length: batchesAtOnce }, writeOn));
    return begun;
  } finally {
    await client.close();
  }
}

function deliveryOf({ businessid, webhookid, body, status }: Kind, number: number) {
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
