import { addMs } from "@malipo/core";
import { timeouts } from "../transaction/schedule.ts";
import { isAskedByPage, type Transaction } from "../transaction/transaction.ts";

/** An earlier prompt of the same business and phone. */
export type RecentPrompt = Pick<
  Transaction,
  "holder" | "state" | "reason" | "createdat" | "promptedat" | "updatedat" | "completedat"
>;

/** How long a phone rests after prompts without success. The operator sets them. */
export interface RestLimits {
  /** After the first prompt. Each further one doubles the rest. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The phone rang, and its owner did not want to pay, or did not react. */
export const unsuccessfulReasons: readonly string[] = [
  "cancelled_by_payer",
  "wrong_pin",
  "pin_locked",
  "unreachable",
  "expired",
];

/**
 * Until when the phone rests; null when it may be prompted. A payment ends the rest and forgets what was
 * before it. Pages have limits of their own, and a visitor's mistakes must not close the API to the business.
 */
export function restingUntil(
  prompts: readonly RecentPrompt[],
  { firstMs, maxMs }: RestLimits,
  now: Date,
): Date | null {
  const paidAt = latestOf(prompts.flatMap(({ completedat }) => completedat ?? []));
  const ends = prompts
    .filter((prompt) => !isAskedByPage(prompt) && (paidAt === null || prompt.createdat >= paidAt))
    .flatMap((prompt) => endOfUnsuccessful(prompt, now) ?? []);
  const latestEnd = latestOf(ends);
  if (latestEnd === null) return null;
  const until = addMs(latestEnd, Math.min(maxMs, firstMs * 2 ** (ends.length - 1)));
  return until > now ? until : null;
}

/** When the prompt ended without success; null when it did not, or may still be answered. */
function endOfUnsuccessful(prompt: RecentPrompt, now: Date): Date | null {
  const { state, reason, promptedat, updatedat } = prompt;
  if (state === "prompted") {
    const until = addMs(promptedat ?? updatedat, timeouts.promptMs);
    return until <= now ? until : null;
  }
  return reason !== null && unsuccessfulReasons.includes(reason) ? updatedat : null;
}

function latestOf(dates: readonly Date[]): Date | null {
  return dates.length === 0 ? null : new Date(Math.max(...dates.map(Number)));
}
