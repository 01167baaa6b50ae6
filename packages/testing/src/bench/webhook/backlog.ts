import { createHash } from "node:crypto";
import { MongoClient, ObjectId } from "mongodb";

const batchMax = 1_000;

/** Deliveries that wait for a webhook, as its service would have written them. */
export async function writeBacklog(
  uri: string,
  { businessid, webhookid, body }: { businessid: string; webhookid: string; body: string },
  count: number,
  onProgress: (text: string) => void,
): Promise<void> {
  const client = await MongoClient.connect(uri);
  try {
    const database = client.db("malipo_webhook");
    const deliveries = database.collection("deliveries");
    const now = new Date();
    let reportedAt = performance.now();
    for (let from = 0; from < count; from += batchMax) {
      const size = Math.min(batchMax, count - from);
      await deliveries.insertMany(
        Array.from({ length: size }, (_, index) => {
          const eventid = `evt_backlog${from + index}`;
          const id = createHash("sha256").update(eventid).digest("hex").slice(0, 24);
          return {
            _id: new ObjectId(id),
            businessid: new ObjectId(businessid),
            endpointid: new ObjectId(webhookid),
            eventid,
            type: "payment.completed",
            resourceid: id,
            sequence: 1,
            body,
            dueat: now,
            createdat: now,
            status: "pending",
            tries: 0,
            attempts: 0,
            problem: null,
            version: 1,
            log: [],
            updatedat: now,
          };
        }),
        { ordered: false },
      );
      if (performance.now() - reportedAt > 5_000) {
        reportedAt = performance.now();
        onProgress(`  ${(from + size).toLocaleString("en")} of ${count.toLocaleString("en")}`);
      }
    }
  } finally {
    await client.close();
  }
}
