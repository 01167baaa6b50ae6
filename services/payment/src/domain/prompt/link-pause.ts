import { addMs, hourMs } from "@malipo/core";

/** A link with this many unanswered prompts within an hour is used to pester people. */
const unansweredMax = 30;
/** Prompts of one address that count. One stranger alone must not close a link. */
const countedOfAddressMax = 3;
const pauseMs = hourMs;

/** Reasons that mean: the phone was not reached, or the payer did not answer. */
export const unansweredReasons: readonly string[] = [
  "unreachable",
  "expired",
  "not_delivered",
  "unresolved",
];

export interface UnansweredPrompt {
  readonly createdat: Date;
  /** Null for one that the previous release sent: it counts as an address of its own. */
  readonly askedfrom: string | null;
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
  const ofAddress = new Map<string, number>();
  return unanswered.flatMap(({ createdat, askedfrom }) => {
    if (askedfrom === null) return [createdat];
    const count = (ofAddress.get(askedfrom) ?? 0) + 1;
    ofAddress.set(askedfrom, count);
    return count <= countedOfAddressMax ? [createdat] : [];
  });
}
