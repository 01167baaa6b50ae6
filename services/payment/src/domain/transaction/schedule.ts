import { addMs, dayMs, minuteMs, secondMs } from "@malipo/core";

/** What may pass before something is looked at again, or given up. */
export const waits = {
  /** As long as a prompt may wait for its payer. */
  promptMs: 90 * secondMs,
  /** A request that could not be sent is given up after this. */
  savedMs: 15 * minuteMs,
  /** A worker that has not said by then what the provider answered never will. */
  callMs: 40 * secondMs,
  /** A payment known by query only waits this long for its callback, which has the receipt. */
  callbackMs: minuteMs,
  /** Before this a query's "not paid" may still turn into a payment. */
  declineMs: 2 * minuteMs,
  /** After this nobody will ever say what became of it. */
  unresolvedMs: dayMs,
} as const;

const querySeconds = [15, 15, 15, 15, 20, 20, 30, 60, 120, 300, 600, 1_200] as const;
const slowestSeconds = 1_800;

/** When to ask for the nth time, from now: often while somebody waits, then ever more rarely. */
export function nextQueryAt(now: Date, queries: number): Date {
  return addMs(now, (querySeconds[queries] ?? slowestSeconds) * secondMs);
}
