import { setTimeout as sleep } from "node:timers/promises";
import { atMost, number, type Outcome } from "../report.ts";
import { createBusiness, paymentEvent, type Table, type WebhookBench } from "./bench.ts";

const eventsPerSecond = 200;

/** Measures the time from an event to its first attempt, at a steady rate. */
export async function measureLatency(
  bench: WebhookBench,
): Promise<Pick<Outcome, "bars"> & { table: Table }> {
  const { run, receiver, publisher } = bench;
  const { businessid } = await createBusiness(bench, "/timed", 1);
  const seconds = run.quick ? 3 : 15;
  run.onProgress(`${eventsPerSecond} events a second for ${seconds} seconds`);
  await receiver.reset();
  const startedAt = performance.now();
  for (let sent = 0; sent < seconds * eventsPerSecond; sent += 10) {
    await publisher.publish(Array.from({ length: 10 }, () => paymentEvent(businessid)));
    const dueInMs = startedAt + ((sent + 10) / eventsPerSecond) * 1_000 - performance.now();
    if (dueInMs > 0) await sleep(dueInMs);
  }
  const expected = seconds * eventsPerSecond;
  const { waitsMs } = await receiver.waitFor(expected, 60_000);
  const sorted = waitsMs.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return {
    table: {
      title: `From event to first attempt at ${eventsPerSecond} events a second, ms`,
      columns: ["", "p50", "p99", "most"],
      rows: [["wait", number(at(0.5)), number(at(0.99)), number(at(1))]],
    },
    bars: [atMost({ name: "event to first attempt, p99", limit: 500, unit: "ms" }, at(0.99))],
  };
}
