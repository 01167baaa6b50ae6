import { addMs, hourMs } from "@malipo/core";

/** A link with this many unanswered prompts within an hour is used to pester people. */
export const unansweredMax = 30;
const pauseMs = hourMs;

/**
 * Until when a link sends no prompts; null when it may. `unanswered` are the times of its unanswered
 * prompts, the newest first.
 */
export function pausedUntil(unanswered: readonly Date[], now: Date): Date | null {
  const newest = unanswered[0];
  const oldest = unanswered[unansweredMax - 1];
  if (!newest || !oldest || newest.getTime() - oldest.getTime() >= hourMs) return null;
  const until = addMs(newest, pauseMs);
  return until > now ? until : null;
}
