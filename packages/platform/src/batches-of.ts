import { setTimeout as sleep } from "node:timers/promises";
import { isWorthGathering } from "./turn.ts";

const gatherMs = 50;
const nothingYet = Symbol("nothing yet");

/**
 * Whatever has arrived, as one batch: a single message without delay, full under load, and several
 * not sooner than a moment after those before, for more will follow.
 */
export async function* batchesOf<Item>(
  source: AsyncIterable<Item>,
  max: number,
): AsyncGenerator<Item[]> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  for (;;) {
    const first = await next;
    if (first.done) return;
    const batch = [first.value];
    next = items.next();
    while (batch.length < max) {
      const arrived = await Promise.race([
        next,
        new Promise<typeof nothingYet>((pass) => setImmediate(pass, nothingYet)),
      ]);
      if (arrived === nothingYet || arrived.done) break;
      batch.push(arrived.value);
      next = items.next();
    }
    const handedOverAtMs = performance.now();
    yield batch;
    const leftMs = handedOverAtMs + gatherMs - performance.now();
    if (leftMs > 0 && isWorthGathering(batch.length, max)) await sleep(leftMs);
  }
}
