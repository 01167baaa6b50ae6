import { addMs, hourMs } from "@malipo/core";
import { placeOf, type Visitor } from "../visitor.ts";

/** A link with this many unanswered prompts within an hour is used to pester people. */
const unansweredMax = 30;
/** Prompts of one place that count. One stranger alone must not close a link. */
const countedOfPlaceMax = 3;
const pauseMs = hourMs;

/** Reasons that mean: the phone was not reached, or the payer did not answer. */
export const unansweredReasons: readonly string[] = [
  "unreachable",
  "expired",
  "not_delivered",
  "unresolved",
];

/** A prompt without a visitor counts as a place of its own. */
export interface UnansweredPrompt extends Visitor {
  readonly createdat: Date;
}

/**
 * Until when a link sends no prompts to strangers; null when it does. `unanswered` are its unanswered
 * prompts, the newest first.
 */
export function pausedUntil(unanswered: readonly UnansweredPrompt[], now: Date): Date | null {
  const counted = countedPrompts(unanswered);
  const newest = counted[0];
  const oldest = counted[unansweredMax - 1];
  if (!newest || !oldest || newest.getTime() - oldest.getTime() >= hourMs) return null;
  const until = addMs(newest, pauseMs);
  return until > now ? until : null;
}

function countedPrompts(unanswered: readonly UnansweredPrompt[]): Date[] {
  const ofPlace = new Map<string, number>();
  return unanswered.flatMap(({ createdat, ...visitor }) => {
    const place = placeOf(visitor);
    if (place === null) return [createdat];
    const count = (ofPlace.get(place) ?? 0) + 1;
    ofPlace.set(place, count);
    return count <= countedOfPlaceMax ? [createdat] : [];
  });
}
