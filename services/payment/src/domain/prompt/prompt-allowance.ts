import { addMs, dayMs, hourMs, minuteMs } from "@malipo/core";
import type { Transaction } from "../transaction/transaction.ts";

interface Window {
  readonly lengthMs: number;
  readonly max: number;
}

/** Prompts of pay pages that are counted together. */
export interface PromptAllowance {
  /** Names what is counted. The store keeps only a keyed hash of it. */
  readonly name: string;
  readonly windows: readonly Window[];
}

const phoneWindows: readonly Window[] = [
  { lengthMs: 10 * minuteMs, max: 3 },
  { lengthMs: dayMs, max: 10 },
];
const addressWindows: readonly Window[] = [{ lengthMs: hourMs, max: 20 }];

/** A phone that may belong to a stranger, over all links and addresses. */
export function allowanceOfPhone(phone: string): PromptAllowance {
  return { name: phone, windows: phoneWindows };
}

/**
 * A phone that belongs to a payer of the business. Each address has its own allowance, so a stranger
 * elsewhere uses up none of the payer's.
 */
export function allowanceOfPayer(phone: string, askedfrom: string | null): PromptAllowance {
  return askedfrom === null
    ? allowanceOfPhone(phone)
    : { name: `${phone} ${askedfrom}`, windows: phoneWindows };
}

/** The prompts that one address asks of a link, and that nobody has tried to pay. */
export function allowanceOfAddress(askedfrom: string, linkid: string): PromptAllowance {
  return { name: `${askedfrom} ${linkid}`, windows: addressWindows };
}

/** No phone rang, or its owner meant to pay. */
const uncountedReasons: readonly string[] = ["refused", "not_sent", "insufficient_funds"];

/** Whoever gets a prompt that they did not ask for ignores it or cancels it. */
export function isCountedAgainstAddress({
  state,
  reason,
}: Pick<Transaction, "state" | "reason">): boolean {
  return state !== "completed" && (reason === null || !uncountedReasons.includes(reason));
}

interface TakenPrompt {
  readonly attempt: string;
  readonly at: Date;
}

export type TakenPrompts = readonly TakenPrompt[];

/** The prompts that still count in the longest window. */
export function recentPrompts(taken: TakenPrompts, now: Date): TakenPrompts {
  return taken.filter(({ at }) => addMs(at, dayMs) > now);
}

/** When the next prompt is allowed; null when it is now. */
export function allowedFrom(
  taken: TakenPrompts,
  windows: PromptAllowance["windows"],
  now: Date,
): Date | null {
  const waits = windows.flatMap(({ lengthMs, max }) => {
    const within = taken.map(({ at }) => addMs(at, lengthMs)).filter((until) => until > now);
    const latest = within.toSorted((a, b) => b.getTime() - a.getTime());
    return latest[max - 1] ?? [];
  });
  return waits.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null;
}
