import { promptLifetimeMs } from "@malipo/contracts";
import { addMs, dayMs, minuteMs, secondMs } from "@malipo/core";

/** How long a transaction may wait in each situation. */
export const timeouts = {
  /** A prompt stays on the phone this long. */
  promptMs: promptLifetimeMs,
  /** A request that could not be sent fails after this. */
  unsentMs: 15 * minuteMs,
  /** If the provider's answer is not stored by then, the process that called it has died. */
  callAnswerMs: 40 * secondMs,
  /** A payment seen by a query waits this long for its callback, which has the receipt number. */
  callbackMs: minuteMs,
  /** Until then a query that says "not paid" may be wrong. */
  declineFinalMs: 2 * minuteMs,
  /** After this the outcome is given up as unresolved. */
  unresolvedMs: dayMs,
} as const;

/** Seconds before each status query: short while the payer waits, then longer and longer. */
const queryDelaySeconds = [15, 15, 15, 15, 20, 20, 30, 60, 120, 300, 600, 1_200] as const;
const longestDelaySeconds = 1_800;

/** When to send the next status query, given how many were sent. */
export function nextQueryAt(now: Date, queries: number): Date {
  return addMs(now, (queryDelaySeconds[queries] ?? longestDelaySeconds) * secondMs);
}
