import { addMs, dayMs, hourMs, minuteMs } from "@malipo/core";
import { remember } from "../lifecycle/history.ts";
import {
  isOpen,
  keyOf,
  notPrompted,
  type OpenInvoice,
  promptedOf,
  type Prompting,
} from "../lifecycle/open-invoices.ts";
import { type PromptHours, withinHours } from "./prompt-hours.ts";
import type { Subscription } from "../lifecycle/subscription.ts";

/** So often and no more is a customer asked to pay within one period; each period's invoice is asked for once at least. */
export const promptsMax = 4;

/** A prompt that nobody has answered for is asked about again after this, under the same operation. */
const askAgainMs = minuteMs;
/** Longer than payment takes to find out what became of any prompt. */
const unansweredMs = 25 * hourMs;
/** What a phone that is being asked by somebody else waits for. */
const busyMs = 4 * minuteMs;

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

/** When a customer is asked again, by what kept the last prompt from being paid. */
const pausesMs: Readonly<Record<Failure, number>> = {
  "no funds": 2 * dayMs,
  declined: dayMs,
  unreachable: 3 * hourMs,
};

export function nextAttemptAt(reason: string, now: Date, hours: PromptHours): Date {
  return withinHours(addMs(now, pausesMs[failures[reason] ?? "declined"]), hours);
}

/** With autorenew every invoice is prompted once it is known. */
export function firstPrompts(
  subscription: Subscription,
  now: Date,
  hours: PromptHours,
): Subscription {
  if (!subscription.autorenew) return subscription;
  return withPrompting(subscription, (invoice) =>
    invoice.invoiceid !== null && isOpen(invoice) && isUntried(invoice.prompting)
      ? { ...notPrompted, nextat: withinHours(now, hours) }
      : invoice.prompting,
  );
}

export function isUntried({ attempt, nextat, claimed, reason }: Prompting): boolean {
  return attempt === 0 && nextat === null && claimed === null && reason === null;
}

/** The invoice whose prompt this payment is, if its outcome is still waited for. */
export function promptedBy({ invoices }: Subscription, transactionid: string): OpenInvoice | null {
  const claimed = promptedOf(invoices);
  const known = claimed?.prompting.transactionid;
  return claimed && (known === null || known === transactionid) ? claimed : null;
}

/** The prompt that is due: the one that was claimed before, or the oldest open invoice's next. */
export function duePrompt(subscription: Subscription, now: Date): OpenInvoice | null {
  const { autorenew, status, invoices } = subscription;
  if (!autorenew || (status !== "active" && status !== "pending")) return null;
  const due = invoices.filter(
    (invoice) => isOpen(invoice) && invoice.prompting.nextat && invoice.prompting.nextat <= now,
  );
  const claimed = promptedOf(invoices);
  if (claimed) return due.includes(claimed) ? claimed : null;
  return due[0] ?? null;
}

/** Claimed before payment is asked, so that no two workers ever ask for different prompts. */
export function claimPrompt(
  subscription: Subscription,
  due: OpenInvoice,
  now: Date,
  hours: PromptHours,
): Subscription {
  const { claimed, transactionid, attempt } = due.prompting;
  // Payment would have said by now that it was paid.
  if (claimed && transactionid) return failPrompt(subscription, due, "unresolved", now, hours);
  const nextat = addMs(now, askAgainMs);
  if (claimed) return setPrompting(subscription, due, { nextat });
  const isPeriodsFirst = due.why !== "manual" && attempt === 0;
  if (subscription.prompts >= promptsMax && !isPeriodsFirst) {
    return endPrompts(subscription, due, "asked often enough in this period", now);
  }
  const next = { attempt: attempt + 1, claimed: now, nextat, transactionid: null, reason: null };
  const happening = { what: "prompted", invoice: keyOf(due), attempt: next.attempt } as const;
  return {
    ...setPrompting(subscription, due, next),
    prompts: subscription.prompts + 1,
    history: remember(subscription.history, happening, now, now),
  };
}

/** The phone is ringing, or will be found to have rung: only its outcome moves it on now. */
export function awaitOutcome(
  subscription: Subscription,
  invoice: OpenInvoice,
  transactionid: string,
  now: Date,
): Subscription {
  return setPrompting(subscription, invoice, {
    transactionid,
    nextat: addMs(now, unansweredMs),
  });
}

/** The phone was busy, or its invoice: the same prompt waits its turn and counts once. */
export function waitTurn(
  subscription: Subscription,
  invoice: OpenInvoice,
  now: Date,
  hours: PromptHours,
): Subscription {
  const { attempt } = invoice.prompting;
  return {
    ...setPrompting(subscription, invoice, {
      attempt: attempt - 1,
      claimed: null,
      nextat: withinHours(addMs(now, busyMs), hours),
    }),
    prompts: subscription.prompts - 1,
  };
}

/** A payment of it is under way: what is left is asked for when that has come to its end. */
export function putOffPrompt(
  subscription: Subscription,
  invoice: OpenInvoice,
  now: Date,
  hours: PromptHours,
): Subscription {
  return setPrompting(subscription, invoice, { nextat: withinHours(addMs(now, busyMs), hours) });
}

/** Nobody is asked to pay this any more, and `explain` can say why. */
export function endPrompts(
  subscription: Subscription,
  invoice: OpenInvoice,
  why: string,
  now: Date,
): Subscription {
  return {
    ...setPrompting(subscription, invoice, { claimed: null, nextat: null, reason: why }),
    history: remember(
      subscription.history,
      { what: "not-prompted", invoice: keyOf(invoice), why },
      now,
      now,
    ),
  };
}

/** It was not paid: it is asked for again at a better time, if not too often. */
export function failPrompt(
  subscription: Subscription,
  invoice: OpenInvoice,
  why: string,
  now: Date,
  hours: PromptHours,
): Subscription {
  const isLast = subscription.prompts >= promptsMax;
  return {
    ...setPrompting(subscription, invoice, {
      claimed: null,
      nextat: isLast ? null : nextAttemptAt(why, now, hours),
      reason: why,
    }),
    history: remember(
      subscription.history,
      { what: "prompt-failed", invoice: keyOf(invoice), why },
      now,
      now,
    ),
  };
}

/** It was paid: what may be left of a large invoice is asked for next. */
export function succeedPrompt(
  subscription: Subscription,
  invoice: OpenInvoice,
  now: Date,
  hours: PromptHours,
): Subscription {
  const isLast = subscription.prompts >= promptsMax;
  const nextat = isLast ? null : withinHours(addMs(now, busyMs), hours);
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
