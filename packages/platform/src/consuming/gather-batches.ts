import { setTimeout as sleep } from "node:timers/promises";
import type { ConsumerSettings } from "@malipo/contracts";
import { isWorthGathering } from "../batching/index.ts";

const shortPauseMs = 50;
/** A batch this large comes from a bulk operation, whose caller does not wait for a single event. */
const largeBatch = 32;
const nothingArrived = Symbol("nothing arrived");

/**
 * Groups the events of arriving messages into batches of at most `batchMax`. The events of a single
 * message leave at once, and under load batches are full. After a batch of several events the next
 * one gathers: 50 ms after a small batch, `batchWaitMs` after one of 32 or more. One message may hold
 * more than a batch.
 */
export async function* gatherBatches<Event>(
  messages: AsyncIterable<readonly Event[]>,
  { batchMax, batchWaitMs = shortPauseMs }: Pick<ConsumerSettings, "batchMax" | "batchWaitMs">,
): AsyncGenerator<Event[]> {
  const arriving = messages[Symbol.asyncIterator]();
  let next = arriving.next();
  const waiting: Event[] = [];
  for (;;) {
    if (waiting.length === 0) {
      const first = await next;
      if (first.done) return;
      waiting.push(...first.value);
      next = arriving.next();
    }
    while (waiting.length < batchMax) {
      const arrived = await Promise.race([
        next,
        new Promise<typeof nothingArrived>((resolve) => setImmediate(resolve, nothingArrived)),
      ]);
      if (arrived === nothingArrived || arrived.done) break;
      waiting.push(...arrived.value);
      next = arriving.next();
    }
    const batch = waiting.splice(0, batchMax);
    const yieldedMs = performance.now();
    yield batch;
    if (!isWorthGathering(batch.length, batchMax)) continue;
    const pauseMs = batch.length < largeBatch ? shortPauseMs : batchWaitMs;
    const leftMs = yieldedMs + pauseMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
  }
}
