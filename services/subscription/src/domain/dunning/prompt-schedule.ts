import { addMs, assert, dayMs, hourMs, minuteMs } from "@malipo/core";
import { addHistory } from "../lifecycle/history.ts";
import {
  findPrompted,
  isOpen,
  keyOf,
  notPrompted,
  type OpenInvoice,
  type Prompting,
} from "../lifecycle/open-invoices.ts";
import type { Subscription } from "../lifecycle/subscription.ts";

/** The hours of a day in Nairobi in which the service may send prompts to customers' phones. */
export interface PromptHours {
  readonly from: number;
  readonly to: number;
}

/** Kenya has no daylight saving time. */
const nairobiOffsetMs = 3 * hourMs;

/** Prompts per period. If several periods are billed at once, each invoice is prompted at least once. */
export const promptsMax = 4;

/** Delay before a claimed prompt without an answer is requested again, as the same operation. */
const repeatDelayMs = minuteMs;
/** Longer than payment needs to find the outcome of any prompt. */
const outcomeTimeoutMs = 25 * hourMs;
/** Delay while the phone or the invoice is busy with another payment. */
const busyDelayMs = 4 * minuteMs;

type Failure = "no funds" | "declined" | "unreachable";

const failures: Readonly<Record<string, Failure>> = {
  insufficient_funds: "no funds",
  daily_limit: "no funds",
  unreachable: "unreachable",
  phone_busy: "unreachable",
  not_delivered: "unreachable",
  provider_busy: "unreachable",
  expired: "unreachable",
};

const retryDelaysMs: Readonly<Record<Failure, number>> = {
  "no funds": 2 * dayMs,
  declined: dayMs,
  unreachable: 3 * hourMs,
};

/** The date itself if it lies within the prompt hours, else the next time that they begin. */
export function withinHours(date: Date, { from, to }: PromptHours): Date {
  assert(from >= 0 && from < to && to <= 24, "hours of a day, the first before the last");
  const local = date.getTime() + nairobiOffsetMs;
  const midnight = local - (local % dayMs);
  const opens = midnight + from * hourMs;
  const closes = midnight + to * hourMs;
  if (local < opens) return addMs(date, opens - local);
  if (local < closes) return date;
  return addMs(date, opens + dayMs - local);
}

export function nextAttemptAt(reason: string, now: Date, hours: PromptHours): Date {
  return withinHours(addMs(now, retryDelaysMs[failures[reason] ?? "declined"]), hours);
}

/** With autorenew every invoice is prompted as soon as its id is known. */
export function scheduleFirstPrompts(
  subscription: Subscription,
  now: Date,
  hours: PromptHours,
): Subscription {
  if (!subscription.autorenew) return subscription;
  return withPrompting(subscription, (invoice) =>
    invoice.invoiceid !== null && isOpen(invoice) && awaitsFirstPrompt(invoice.prompting)
      ? { ...notPrompted, nextat: withinHours(now, hours) }
      : invoice.prompting,
  );
}

export function awaitsFirstPrompt({ attempt, nextat, claimed, reason }: Prompting): boolean {
  return attempt === 0 && nextat === null && claimed === null && reason === null;
}

/** The invoice whose prompt is this transaction, if the outcome of the prompt is still unknown. */
export function findPromptedBy(
  { invoices }: Subscription,
  transactionid: string,
): OpenInvoice | null {
  const claimed = findPrompted(invoices);
  const known = claimed?.prompting.transactionid;
  return claimed && (known === null || known === transactionid) ? claimed : null;
}

/** The invoice to prompt now: the one with a claimed prompt, else the oldest one that is due. */
export function findDuePrompt(subscription: Subscription, now: Date): OpenInvoice | null {
  const { autorenew, status, invoices } = subscription;
  if (!autorenew || (status !== "active" && status !== "pending")) return null;
  const due = invoices.filter(
    (invoice) => isOpen(invoice) && invoice.prompting.nextat && invoice.prompting.nextat <= now,
  );
  const claimed = findPrompted(invoices);
  if (claimed) return due.includes(claimed) ? claimed : null;
  return due[0] ?? null;
}

/** A prompt is claimed before it is requested, so that two workers never request different prompts. */
export function claimPrompt(
  subscription: Subscription,
  due: OpenInvoice,
  now: Date,
  hours: PromptHours,
): Subscription {
  const { claimed, transactionid, attempt } = due.prompting;
  // The outcome timeout has passed. If the prompt had been paid, payment would have reported it.
  if (claimed && transactionid) return failPrompt(subscription, due, "unresolved", now, hours);
  const nextat = addMs(now, repeatDelayMs);
  if (claimed) return setPrompting(subscription, due, { nextat });
  const isFirstOfPeriod = due.why !== "manual" && attempt === 0;
  if (subscription.promptCount >= promptsMax && !isFirstOfPeriod) {
    return endPrompts(subscription, due, "asked often enough in this period", now);
  }
  const next = { attempt: attempt + 1, claimed: now, nextat, transactionid: null, reason: null };
  const fact = { what: "prompted", invoice: keyOf(due), attempt: next.attempt } as const;
  return {
    ...setPrompting(subscription, due, next),
    promptCount: subscription.promptCount + 1,
    history: addHistory(subscription.history, fact, now, now),
  };
}

/** The prompt was sent, or may have been sent. Only its outcome or the timeout continues from here. */
export function awaitOutcome(
  subscription: Subscription,
  invoice: OpenInvoice,
  transactionid: string,
  now: Date,
): Subscription {
  return setPrompting(subscription, invoice, {
    transactionid,
    nextat: addMs(now, outcomeTimeoutMs),
  });
}

/**
 * Payment refused the prompt because the phone or the invoice is busy, or the phone rests after other
 * prompts. The attempt does not count.
 */
export function releaseClaim(
  subscription: Subscription,
  invoice: OpenInvoice,
  now: Date,
  hours: PromptHours,
  waitMs = 0,
): Subscription {
  const { attempt } = invoice.prompting;
  return {
    ...setPrompting(subscription, invoice, {
      attempt: attempt - 1,
      claimed: null,
      nextat: withinHours(addMs(now, Math.max(waitMs, busyDelayMs)), hours),
    }),
    promptCount: subscription.promptCount - 1,
  };
}

/** Another payment of the invoice is in progress. The prompt for the rest waits until it has ended. */
export function postponePrompt(
  subscription: Subscription,
  invoice: OpenInvoice,
  now: Date,
  hours: PromptHours,
): Subscription {
  const nextat = withinHours(addMs(now, busyDelayMs), hours);
  return setPrompting(subscription, invoice, { nextat });
}

/** The invoice is not prompted again. The reason is kept for `explain`. */
export function endPrompts(
  subscription: Subscription,
  invoice: OpenInvoice,
  why: string,
  now: Date,
): Subscription {
  const fact = { what: "not-prompted", invoice: keyOf(invoice), why } as const;
  return {
    ...setPrompting(subscription, invoice, { claimed: null, nextat: null, reason: why }),
    history: addHistory(subscription.history, fact, now, now),
  };
}

/** Schedules the next attempt by the kind of failure, unless the limit of the period is reached. */
export function failPrompt(
  subscription: Subscription,
  invoice: OpenInvoice,
  why: string,
  now: Date,
  hours: PromptHours,
): Subscription {
  const isLast = subscription.promptCount >= promptsMax;
  const nextat = isLast ? null : nextAttemptAt(why, now, hours);
  const fact = { what: "prompt-failed", invoice: keyOf(invoice), why } as const;
  return {
    ...setPrompting(subscription, invoice, { claimed: null, nextat, reason: why }),
    history: addHistory(subscription.history, fact, now, now),
  };
}

/** Schedules another prompt, because one prompt may pay only a part of a large invoice. */
export function succeedPrompt(
  subscription: Subscription,
  invoice: OpenInvoice,
  now: Date,
  hours: PromptHours,
): Subscription {
  const isLast = subscription.promptCount >= promptsMax;
  const nextat = isLast ? null : withinHours(addMs(now, busyDelayMs), hours);
  return setPrompting(subscription, invoice, { claimed: null, nextat, reason: null });
}

function setPrompting(
  subscription: Subscription,
  chosen: OpenInvoice,
  fields: Partial<Prompting>,
): Subscription {
  return withPrompting(subscription, (invoice) =>
    keyOf(invoice) === keyOf(chosen) ? { ...invoice.prompting, ...fields } : invoice.prompting,
  );
}

function withPrompting(
  subscription: Subscription,
  promptingOf: (invoice: OpenInvoice) => Prompting,
): Subscription {
  const invoices = subscription.invoices.map((invoice) => {
    const prompting = promptingOf(invoice);
    return prompting === invoice.prompting ? invoice : { ...invoice, prompting };
  });
  return { ...subscription, invoices };
}
