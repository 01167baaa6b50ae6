import { addMs, dayMs, hourMs, minuteMs } from "@malipo/core";
import type { Transaction } from "../transaction/transaction.ts";
import { placeOf, type Visitor } from "../visitor.ts";

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
/** Payers make mistakes, and strangers must not use up their prompts from one place. */
const payerWindows: readonly Window[] = [
  { lengthMs: 10 * minuteMs, max: 6 },
  { lengthMs: dayMs, max: 30 },
];
const addressWindows: readonly Window[] = [{ lengthMs: hourMs, max: 20 }];
const networkWindows: readonly Window[] = [{ lengthMs: hourMs, max: 40 }];

/** A phone that may belong to a stranger, over all links and addresses. */
export function allowanceOfPhone(phone: string): PromptAllowance {
  return { name: phone, windows: phoneWindows };
}

/**
 * A phone that belongs to a payer of the business, at each place and over all. A stranger at one place
 * elsewhere uses up neither what the payer has at home, nor all that the phone may get.
 */
export function allowancesOfPayer(phone: string, visitor: Visitor): PromptAllowance[] {
  const place = placeOf(visitor);
  return [
    place === null ? allowanceOfPhone(phone) : { name: `${phone} ${place}`, windows: phoneWindows },
    { name: `payer ${phone}`, windows: payerWindows },
  ];
}

/** The prompts that a visitor asks of a link, and that nobody has tried to pay. */
export function allowancesOfVisitor(
  { askedfrom, askednetwork }: Visitor,
  linkid: string,
): PromptAllowance[] {
  const ofAddress = { name: `${askedfrom} ${linkid}`, windows: addressWindows };
  const ofNetwork = { name: `${askednetwork} ${linkid}`, windows: networkWindows };
  return [
    ...(askedfrom === null ? [] : [ofAddress]),
    ...(askednetwork === null ? [] : [ofNetwork]),
  ];
}

/** No phone rang, or its owner meant to pay. */
const uncountedReasons: readonly string[] = ["refused", "not_sent", "insufficient_funds"];

/** Whoever gets a prompt that they did not ask for ignores it or cancels it. */
export function isCountedAgainstVisitor({
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
