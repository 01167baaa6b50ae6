import { inTime } from "../timing/with-timeout.ts";

/** Several scrapers, and the gauges of one lookup, share what it found. */
const freshMs = 5_000;
const patienceMs = 2_000;

/** Looks again only when what was found is older than a few seconds; nobody waits long. */
export function recently<Found>(look: () => Promise<Found>): () => Promise<Found> {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let found: Promise<Found> | undefined;
  return () => {
    const nowMs = performance.now();
    if (found && nowMs - lookedAtMs < freshMs) return found;
    lookedAtMs = nowMs;
    found = inTime(look(), patienceMs);
    return found;
  };
}
