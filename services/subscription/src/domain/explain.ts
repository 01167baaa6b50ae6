import type { HistoryEntry } from "./lifecycle/history.ts";
import { type Moment, nextMoment, nextPromptAt } from "./lifecycle/scheduled-transitions.ts";
import { isOpen, keyOf, type OpenInvoice } from "./lifecycle/open-invoices.ts";
import type { Subscription } from "./lifecycle/subscription.ts";

/** What happened to a subscription and what will, in sentences for whoever is asked about it. */
export function explain(subscription: Subscription, now: Date): string[] {
  return [
    ...subscription.history.map(sentenceOf),
    ...openSentences(subscription, now),
    ...nextSentences(subscription, now),
  ];
}

function sentenceOf(entry: HistoryEntry): string {
  const late = entry.at.getTime() - entry.asof.getTime() > lateMs;
  const found = late ? ` (found out on ${moment(entry.at)})` : "";
  return `${moment(entry.asof)}: ${wordsOf(entry)}${found}.`;
}

/** What is found out no later than this was found out at once. */
const lateMs = 60_000;

function wordsOf(entry: HistoryEntry): string {
  switch (entry.what) {
    case "billed": {
      const period = `${moment(entry.from)} to ${moment(entry.to)}`;
      return entry.why === "renewal"
        ? `renewal was offered for ${period}`
        : `it was billed for ${period}`;
    }
    case "became":
      return `it became ${entry.status}, because ${entry.why}`;
    case "prompted":
      return `the customer's phone was asked to pay ${invoiceWords(entry.invoice)}, attempt ${entry.attempt}`;
    case "not-prompted":
      return `the customer's phone was not asked to pay ${invoiceWords(entry.invoice)}: ${entry.why}`;
    case "prompt-failed":
      return `${invoiceWords(entry.invoice)} was not paid on the phone: ${entry.why}`;
    case "expiry-refused":
      return `it was about to expire and did not: ${entry.why}`;
    default:
      return entry satisfies never;
  }
}

function invoiceWords(key: string): string {
  const [why = "", ...of] = key.split(":");
  if (why === "manual") return `invoice ${of.join(":")} by hand`;
  const day = moment(new Date(of.join(":")));
  return why === "renewal" ? `the renewal of ${day}` : `the invoice of ${day}`;
}

function openSentences({ invoices }: Subscription, now: Date): string[] {
  return invoices.filter(isOpen).map((invoice) => {
    const due = `${invoice.duedate <= now ? "was" : "is"} due on ${moment(invoice.duedate)}`;
    return `Open: ${invoiceWords(keyOf(invoice))}, which ${due}${promptWords(invoice)}.`;
  });
}

function promptWords({ prompting }: OpenInvoice): string {
  const { claimed, nextat, reason } = prompting;
  if (claimed) return `; a prompt of ${moment(claimed)} has no outcome yet`;
  if (nextat) return `; the phone is asked next on ${moment(nextat)}`;
  return reason === null ? "" : `; the phone is not asked again: ${reason}`;
}

const coming: Readonly<Record<Moment["kind"], string>> = {
  "reaches-its-end": "it reaches its end date and expires",
  "falls-overdue": "an invoice is overdue, and unless it is paid by then it becomes pending",
  "trial-ends": "its trial ends and its first period is billed",
  "period-ends": "its period ends",
  "waits-too-long": "it has waited too long and expires",
};

function nextSentences(subscription: Subscription, now: Date): string[] {
  const { parked, autorenew, tries, dueat, heldback } = subscription;
  if (heldback) return [`Held back since ${moment(heldback)}: its business is suspended.`];
  if (parked) return [`Parked since ${moment(parked.at)}: ${parked.reason}.`];
  const moments = nextMoment(subscription);
  if (!moments) return ["Nothing more will happen by itself."];
  const renewal = autorenew ? " and the next one is billed" : " and its renewal is offered";
  const what = coming[moments.kind] + (moments.kind === "period-ends" ? renewal : "");
  const when = moments.at <= now ? "Due now" : `Next, on ${moment(moments.at)}`;
  const prompt = nextPromptAt(subscription);
  const again = dueat && tries > 0 ? [`It failed ${tries} times; again on ${moment(dueat)}.`] : [];
  return [
    `${when}: ${what}.`,
    ...(prompt && prompt < moments.at ? [`Before that, a prompt on ${moment(prompt)}.`] : []),
    ...again,
  ];
}

/** To the minute, in UTC. */
function moment(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
