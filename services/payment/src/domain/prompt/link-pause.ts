import { addMs, hourMs } from "@malipo/core";

/** So many prompts in an hour that nobody answers: somebody is pestering others by this link. */
export const unansweredMax = 30;
const restMs = hourMs;

/** Until when the link rests, given when its newest unanswered prompts were sent, the newest first. */
export function restsUntil(unanswered: readonly Date[], now: Date): Date | null {
  const newest = unanswered[0];
  const oldest = unanswered[unansweredMax - 1];
  if (!newest || !oldest || newest.getTime() - oldest.getTime() >= hourMs) return null;
  const until = addMs(newest, restMs);
  return until > now ? until : null;
}
