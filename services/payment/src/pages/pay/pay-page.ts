import type { Language } from "@malipo/contracts";
import { cents, type Html, html, moduleElement, styleElement } from "@malipo/core";
import { pagePolicy } from "@malipo/platform";
import { printable, theirs } from "@malipo/print";
import { type Amounts, amountsFor } from "../../domain/prompt/amounts.ts";
import type { Bill } from "../../workflows/find-bill.ts";
import { icons } from "../icons.ts";
import { moneyWords } from "../money.ts";

import { reasonWords } from "./reasons.ts";
import { script } from "./script.ts";
import { style } from "./pay-style.ts";
import { fill, type Words, words } from "../words.ts";

export const payPagePolicy = pagePolicy(style, script);

interface Shown {
  readonly bill: Bill;
  readonly amounts: Amounts;
  readonly say: Words;
  readonly values: Readonly<Record<string, string>>;
}

/** The whole page, in all its states: the script only turns over its leaves. */
export function payPage(bill: Bill, language: Language): string {
  const say = words[language];
  const amounts = amountsFor(bill.owed, bill.partpayment);
  const values = {
    business: printable(bill.business),
    min: moneyWords(cents(amounts.min * 100)),
    max: moneyWords(cents(amounts.max * 100)),
  };
  const shown: Shown = { bill, amounts, say, values };
  const other = language === "en" ? "sw" : "en";
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${fill(say.pay, values)}</title>
        ${styleElement(style)}
      </head>
      <body>
        <main
          id="pay"
          data-code="${bill.code}"
          data-min="${amounts.min}"
          data-max="${amounts.max}"
          data-usual="${amounts.usual ?? ""}"
          data-words="${JSON.stringify(wordsOfScript(shown))}"
        >
          <nav>
            <a href="?lang=${other}" lang="${other}" hreflang="${other}">${say.otherLanguage}</a>
          </nav>
          <header>
            <h1>${fill(say.pay, values)}</h1>
            <p class="for">${theirs(bill.title)}</p>
            ${bill.description === null ? undefined : html`<p class="about">${theirs(bill.description)}</p>`}
          </header>
          ${bill.status === "active" ? sum(shown) : undefined}
          <div data-state="form">
            ${bill.status === "active" ? undefined : closed(shown)} ${form(shown)}
          </div>
          ${sending(shown)} ${prompted(shown)} ${checking(shown)} ${paid(shown)} ${notpaid(shown)}
          <p id="offline" class="pin" role="status" hidden>${say.offline}</p>
        </main>
        ${moduleElement(script)}
      </body>
    </html> `.text;
}

function sum({ amounts, bill, say, values }: Shown): Html | undefined {
  if (amounts.usual === null) return undefined;
  const notes = { rounded: say.noteRounded, minimum: say.noteMinimum, maximum: say.noteMaximum };
  const owed = fill(say.owed, { amount: moneyWords(bill.owed ?? cents(0)) });
  const note = amounts.note && `${owed} ${fill(notes[amounts.note], limits)}`;
  return html`<dl class="sum">
    <dt>${say.toPay}</dt>
    <dd>${values["max"]}</dd>
    ${note === null ? undefined : html`<dd class="note">${note}</dd>`}
  </dl>`;
}

const free = amountsFor(null, false);
const limits = { min: moneyWords(cents(free.min * 100)), max: moneyWords(cents(free.max * 100)) };

function closed({ bill, say, values }: Shown): Html {
  const [title, text] = {
    active: ["", ""],
    paid: [say.statusPaid, say.statusPaidText],
    expired: [say.statusExpired, say.statusExpiredText],
    cancelled: [say.statusCancelled, say.statusCancelledText],
    suspended: [say.statusSuspended, say.statusSuspendedText],
  }[bill.status];
  return html`<section class="state">
    ${bill.status === "paid" ? icons.done : icons.closed}
    <h2 tabindex="-1">${title}</h2>
    <p>${fill(text ?? "", values)}</p>
  </section>`;
}

/** The script needs it even where nothing can be paid: a reload may still follow a payment. */
function form({ bill, amounts, say, values }: Shown): Html {
  const isClosed = bill.status === "active" ? "" : "hidden";
  return html`<form id="form" novalidate ${isClosed}>
    <noscript><p class="problem">${fill(say.needsScript, values)}</p></noscript>
    <div class="field">
      <label for="phone">${say.phone}</label>
      <span class="hint" id="phone-hint">${say.phoneExample}</span>
      <input
        id="phone"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        maxlength="30"
        aria-describedby="phone-hint problem"
      />
    </div>
    ${amounts.min === amounts.max ? undefined : amountField(amounts, say, values)}
    <p class="problem" id="problem" role="alert" hidden></p>
    <button id="submit" disabled>${say.payNow}</button>
    <button id="reload" type="button" class="quiet" hidden>${say.loadAgain}</button>
    <p class="pin">${say.pinHint}</p>
  </form>`;
}

function amountField({ usual }: Amounts, say: Words, values: Shown["values"]): Html {
  return html`<div class="field">
    <label for="amount">${say.amount}</label>
    <span class="hint" id="amount-hint">${fill(say.amountRange, values)}</span>
    <input
      id="amount"
      inputmode="numeric"
      autocomplete="off"
      maxlength="9"
      value="${usual ?? ""}"
      aria-describedby="amount-hint problem"
    />
  </div>`;
}

function state(name: string, icon: Html, title: string, content: Html): Html {
  return html`<section class="state ${name}" data-state="${name}" hidden>
    ${icon}
    <h2 tabindex="-1">${title}</h2>
    <div aria-live="polite">${content}</div>
  </section>`;
}

const sending = ({ say }: Shown) =>
  state("sending", icons.waiting, say.sending, html`<p>${say.sendingText}</p>`);

const prompted = ({ say }: Shown) =>
  state(
    "prompted",
    icons.phone,
    say.prompted,
    html`<p id="prompted-text"></p>
      <div aria-live="off">
        <progress id="progress" max="90" value="90" aria-hidden="true"></progress>
        <p class="left" id="seconds" role="timer"></p>
      </div>`,
  );

const checking = ({ say }: Shown) =>
  state("checking", icons.waiting, say.checking, html`<p>${say.checkingText}</p>`);

/** What may be paid in parts, or any number of times. */
function mayPayAgain({ status, partpayment, debt }: Bill): boolean {
  return status === "active" && (partpayment || debt === null);
}

const paid = ({ say, bill }: Shown) =>
  state(
    "paid",
    icons.done,
    say.paid,
    html`<p id="paid-text"></p>
      <p class="left" id="receipt-coming">${say.receiptComing}</p>
      <div id="receipt" hidden>
        <dl class="facts">
          <div>
            <dt>${say.receipt}</dt>
            <dd id="receiptno"></dd>
          </div>
          <div>
            <dt>${say.mpesaCode}</dt>
            <dd id="momo"></dd>
          </div>
        </dl>
        <a class="button" id="receipt-link">${say.openReceipt}</a>
      </div>
      ${mayPayAgain(bill) ? html`<button id="anew" type="button" class="quiet">${say.payAgain}</button>` : undefined}`,
  );

const notpaid = ({ say }: Shown) =>
  state(
    "notpaid",
    icons.not,
    say.notpaid,
    html`<p id="reason"></p>
      <button id="again" type="button">${say.tryAgain}</button>`,
  );

/** What the script says of its own accord. */
function wordsOfScript({ say, values }: Shown): Record<string, string> {
  const own = [
    "secondsLeft",
    "promptedText",
    "paidText",
    "reasonNotSent",
    "reasonRefused",
    "problemPhone",
    "problemAmount",
    "problemChanged",
    "problemUnderWay",
    "problemPhoneBusy",
    "problemTooMany",
    "problemUnreachable",
    "problemUnavailable",
    "problemNotTaken",
  ] as const;
  return {
    ...Object.fromEntries(own.map((key) => [key, fill(say[key], values)])),
    ...reasonWords(say),
  };
}
