import { setTimeout as sleep } from "node:timers/promises";
import type { ConsumerTerms } from "@malipo/contracts";
import { isWorthGathering } from "../batching/turn.ts";

const momentMs = 50;
/** So many at once do not come from anybody who waits for one of them. */
const crowd = 32;
const nothingYet = Symbol("nothing yet");

/**
 * Whatever has arrived, as one batch: a single message's content without delay, full under load, and
 * several not sooner than a moment after those before, for more will follow. What a message tells
 * may be more than a batch.
 */
export async function* batchesOf<Item>(
  source: AsyncIterable<readonly Item[]>,
  { batchMax: max, gatherMs = momentMs }: Pick<ConsumerTerms, "batchMax" | "gatherMs">,
): AsyncGenerator<Item[]> {
  const contents = source[Symbol.asyncIterator]();
  let next = contents.next();
  const waiting: Item[] = [];
  for (;;) {
    if (waiting.length === 0) {
      const first = await next;
      if (first.done) return;
      waiting.push(...first.value);
      next = contents.next();
    }
    while (waiting.length < max) {
      const arrived = await Promise.race([
        next,
        new Promise<typeof nothingYet>((pass) => setImmediate(pass, nothingYet)),
      ]);
      if (arrived === nothingYet || arrived.done) break;
      waiting.push(...arrived.value);
      next = contents.next();
    }
    const batch = waiting.splice(0, max);
    const handedOverAtMs = performance.now();
    yield batch;
    if (!isWorthGathering(batch.length, max)) continue;
    const pauseMs = batch.length < crowd ? momentMs : gatherMs;
    const leftMs = handedOverAtMs + pauseMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
  }
}
