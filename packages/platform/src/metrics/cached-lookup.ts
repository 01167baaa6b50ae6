import { withTimeout } from "../timing/index.ts";

/** Several scrapers, and several gauges of one lookup, share its result for this long. */
const freshMs = 5_000;
const timeoutMs = 2_000;

/** Repeats the lookup when its last result is older than five seconds; fails after two seconds. */
export function cacheLookup<Found>(lookup: () => Promise<Found>): () => Promise<Found> {
  let startedMs = Number.NEGATIVE_INFINITY;
  let found: Promise<Found> | undefined;
  return () => {
    const nowMs = performance.now();
    if (found && nowMs - startedMs < freshMs) return found;
    startedMs = nowMs;
    found = withTimeout(lookup(), timeoutMs);
    return found;
  };
}
