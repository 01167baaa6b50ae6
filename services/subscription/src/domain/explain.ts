import type { HistoryEntry } from "./lifecycle/history.ts";
import { isOpen, keyOf, type OpenInvoice } from "./lifecycle/open-invoices.ts";
import { nextPromptAt, nextTransition, type ScheduledTransition } from "./lifecycle/schedule.ts";
import type { Subscription } from "./lifecycle/subscription.ts";

/** A fact that is saved later than this after its date is explained with both dates. */
const lateMs = 60_000;

/** The history, the open invoices and the next transition of a subscription, as sentences. */
export function explain(subscription: Subscription, now: Date): string[] {
  return [
    ...subscription.history.map(historySentence),
    ...openSentences(subscription, now),
    ...nextSentences(subscription, now),
  ];
}

function historySentence(entry: HistoryEntry): string {
  const late = entry.at.getTime() - entry.asof.getTime() > lateMs;
  const found = late ? ` (found out on ${formatDate(entry.at)})` : "";
  return `${formatDate(entry.asof)}: ${describeEntry(entry)}${found}.`;
}

function describeEntry(entry: HistoryEntry): string {
  switch (entry.what) {
    case "billed": {
      const period = `${formatDate(entry.from)} to ${formatDate(entry.to)}`;
      return entry.why === "renewal"
        ? `renewal was offered for ${period}`
        : `it was billed for ${period}`;
    }
    case "became":
      return `it became ${entry.status}, because ${entry.why}`;
    case "prompted":
      return `the customer's phone was asked to pay ${describeInvoice(entry.invoice)}, attempt ${entry.attempt}`;
    case "not-prompted":
      return `the customer's phone was not asked to pay ${describeInvoice(entry.invoice)}: ${entry.why}`;
    case "prompt-failed":
      return `${describeInvoice(entry.invoice)} was not paid on the phone: ${entry.why}`;
    case "expiry-refused":
      return `it was about to expire and did not: ${entry.why}`;
    default:
      return entry satisfies never;
  }
}

function describeInvoice(key: string): string {
  const [why = "", ...of] = key.split(":");
  if (why === "manual") return `invoice ${of.join(":")} by hand`;
  const day = formatDate(new Date(of.join(":")));
  return why === "renewal" ? `the renewal of ${day}` : `the invoice of ${day}`;
}

function openSentences({ invoices }: Subscription, now: Date): string[] {
  return invoices.filter(isOpen).map((invoice) => {
    const due = `${invoice.duedate <= now ? "was" : "is"} due on ${formatDate(invoice.duedate)}`;
    return `Open: ${describeInvoice(keyOf(invoice))}, which ${due}${describePrompt(invoice)}.`;
  });
}

function describePrompt({ prompting }: OpenInvoice): string {
  const { claimed, nextat, reason } = prompting;
  if (claimed) return `; a prompt of ${formatDate(claimed)} has no outcome yet`;
  if (nextat) return `; the phone is asked next on ${formatDate(nextat)}`;
  return reason === null ? "" : `; the phone is not asked again: ${reason}`;
}

const descriptions: Readonly<Record<ScheduledTransition["trigger"], string>> = {
  "end-date": "it reaches its end date and expires",
  "invoice-overdue": "an invoice is overdue, and unless it is paid by then it becomes pending",
  "trial-ends": "its trial ends and its first period is billed",
  "period-ends": "its period ends",
  "pending-too-long": "it has waited too long and expires",
};

function nextSentences(subscription: Subscription, now: Date): string[] {
  const { parked, autorenew, failedAttempts, dueat, heldBackSince } = subscription;
  if (heldBackSince) {
    return [`Held back since ${formatDate(heldBackSince)}: its business is suspended.`];
  }
  if (parked) return [`Parked since ${formatDate(parked.at)}: ${parked.reason}.`];
  const next = nextTransition(subscription);
  if (!next) return ["Nothing more will happen by itself."];
  const renewal = autorenew ? " and the next one is billed" : " and its renewal is offered";
  const what = descriptions[next.trigger] + (next.trigger === "period-ends" ? renewal : "");
  const when = next.at <= now ? "Due now" : `Next, on ${formatDate(next.at)}`;
  const sentences = [`${when}: ${what}.`];
  const prompt = nextPromptAt(subscription);
  if (prompt && prompt < next.at) {
    sentences.push(`Before that, a prompt on ${formatDate(prompt)}.`);
  }
  if (dueat && failedAttempts > 0) {
    sentences.push(`It failed ${failedAttempts} times; again on ${formatDate(dueat)}.`);
  }
  return sentences;
}

/** To the minute, in UTC. */
function formatDate(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
