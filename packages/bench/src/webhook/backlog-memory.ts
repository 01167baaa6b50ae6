import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "../process-usage.ts";
import { atLeast, atMost, mebibytes, number, type Outcome } from "../report.ts";
import { writeDeliveries } from "./write-deliveries.ts";
import { bodyOf, createBusiness, paymentEvent, type Table, type WebhookBench } from "./bench.ts";

const backlogs = { full: 1_000_000, quick: 20_000 };
const writeWithinMs = 360_000;
const backlogSeconds = 20;

/** Measures the memory of the webhook service while it delivers a long backlog of one webhook. */
export async function measureBacklogMemory(
  bench: WebhookBench,
): Promise<Pick<Outcome, "bars"> & { table: Table }> {
  const { run, system, receiver, publisher, webhookPid } = bench;
  const asked = run.quick ? backlogs.quick : backlogs.full;
  const { businessid, webhookids } = await createBusiness(bench, "/counted", 1);
  const [webhookid = ""] = webhookids;
  const body = bodyOf(paymentEvent(businessid));
  run.onProgress(`writing a backlog of ${number(asked)} deliveries`);
  const before = (await memoryOf(webhookPid)).rssBytes;
  const { mongodburi } = system.environment;
  const count = await writeDeliveries(
    mongodburi,
    { businessid, webhookid, body, status: "pending" },
    { count: asked, withinMs: writeWithinMs, onProgress: run.onProgress },
  );
  await receiver.reset();
  await publisher.publish([paymentEvent(businessid)]);
  await receiver.waitFor(1, 60_000);
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
      atLeast({ name: "backlog written", limit: asked, unit: "deliveries" }, count),
      atMost(
        { name: "memory added by the backlog", limit: 100, unit: "MiB" },
        (most - before) / 1_024 ** 2,
      ),
    ],
  };
}
