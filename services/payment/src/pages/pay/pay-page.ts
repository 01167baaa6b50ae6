import type { Language } from "@malipo/contracts";
import {
  cents,
  type Html,
  html,
  moduleElement,
  shillingsToCents,
  styleElement,
} from "@malipo/core";
import { contentSecurityPolicy } from "@malipo/platform";
import { sanitizeUserText, renderUserText } from "@malipo/print";
import { type AmountRange, amountRangeFor } from "../../domain/prompt/amounts.ts";
import type { Bill } from "../../workflows/find-bill.ts";
import { icons } from "../icons.ts";
import { formatMoney } from "../format-money.ts";
import { reasonTexts } from "./reasons.ts";
import { script } from "./script.ts";
import { style } from "./pay-style.ts";
import { fillPlaceholders, type PageTexts, pageTexts } from "../texts.ts";

export const payPagePolicy = contentSecurityPolicy(style, script);

interface PageContent {
  readonly bill: Bill;
  readonly amounts: AmountRange;
  readonly texts: PageTexts;
  readonly values: Readonly<Record<string, string>>;
}

/** The whole page with all its states as sections. The script only shows one of them at a time. */
export function payPage(bill: Bill, language: Language): string {
  const texts = pageTexts[language];
  const amounts = amountRangeFor(bill.owed, bill.partpayment);
  const values = {
    business: sanitizeUserText(bill.business),
    min: formatMoney(shillingsToCents(amounts.min)),
    max: formatMoney(shillingsToCents(amounts.max)),
  };
  const content: PageContent = { bill, amounts, texts, values };
  const other = language === "en" ? "sw" : "en";
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${fillPlaceholders(texts.pay, values)}</title>
        ${styleElement(style)}
      </head>
      <body>
        <main
          id="pay"
          data-code="${bill.code}"
          data-min="${amounts.min}"
          data-max="${amounts.max}"
          data-suggested="${amounts.suggested ?? ""}"
          data-texts="${JSON.stringify(scriptTexts(content))}"
        >
          <nav>
            <a href="?lang=${other}" lang="${other}" hreflang="${other}">${texts.otherLanguage}</a>
          </nav>
          <header>
            <h1>${fillPlaceholders(texts.pay, values)}</h1>
            <p class="for">${renderUserText(bill.title)}</p>
            ${bill.description === null ? undefined : html`<p class="about">${renderUserText(bill.description)}</p>`}
          </header>
          ${bill.status === "active" ? amountSection(content) : undefined}
          <div data-state="form">
            ${bill.status === "active" ? undefined : closedSection(content)} ${payForm(content)}
          </div>
          ${sendingSection(content)} ${promptedSection(content)} ${checkingSection(content)}
          ${paidSection(content)} ${notPaidSection(content)}
          <p id="offline" class="pin" role="status" hidden>${texts.offline}</p>
        </main>
        ${moduleElement(script)}
      </body>
    </html> `.text;
}

function amountSection({ amounts, bill, texts, values }: PageContent): Html | undefined {
  if (amounts.suggested === null) return undefined;
  const notes = {
    rounded: texts.noteRounded,
    minimum: texts.noteMinimum,
    maximum: texts.noteMaximum,
  };
  const owed = fillPlaceholders(texts.owed, { amount: formatMoney(bill.owed ?? cents(0)) });
  const note = amounts.note && `${owed} ${fillPlaceholders(notes[amounts.note], limits)}`;
  return html`<dl class="sum">
    <dt>${texts.toPay}</dt>
    <dd>${values["max"]}</dd>
    ${note === null ? undefined : html`<dd class="note">${note}</dd>`}
  </dl>`;
}

const anyAmount = amountRangeFor(null, false);
const limits = {
  min: formatMoney(shillingsToCents(anyAmount.min)),
  max: formatMoney(shillingsToCents(anyAmount.max)),
};

function closedSection({ bill, texts, values }: PageContent): Html {
  const [title, text] = {
    active: ["", ""],
    paid: [texts.statusPaid, texts.statusPaidText],
    expired: [texts.statusExpired, texts.statusExpiredText],
    cancelled: [texts.statusCancelled, texts.statusCancelledText],
    suspended: [texts.statusSuspended, texts.statusSuspendedText],
  }[bill.status];
  return html`<section class="state">
    ${bill.status === "paid" ? icons.done : icons.closed}
    <h2 tabindex="-1">${title}</h2>
    <p>${fillPlaceholders(text ?? "", values)}</p>
  </section>`;
}

/** The form is on a closed page too: after a reload the script may still follow a payment. */
function payForm({ bill, amounts, texts, values }: PageContent): Html {
  const hidden = bill.status === "active" ? "" : "hidden";
  return html`<form id="form" novalidate ${hidden}>
    <noscript><p class="problem">${fillPlaceholders(texts.needsScript, values)}</p></noscript>
    <div class="field">
      <label for="phone">${texts.phone}</label>
      <span class="hint" id="phone-hint">${texts.phoneExample}</span>
      <input
        id="phone"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        maxlength="30"
        aria-describedby="phone-hint problem"
      />
    </div>
    ${amounts.min === amounts.max ? undefined : amountField(amounts, texts, values)}
    <p class="problem" id="problem" role="alert" hidden></p>
    <button id="submit" disabled>${texts.payNow}</button>
    <button id="reload" type="button" class="quiet" hidden>${texts.loadAgain}</button>
    <p class="pin">${texts.pinHint}</p>
  </form>`;
}

function amountField(
  { suggested }: AmountRange,
  texts: PageTexts,
  values: PageContent["values"],
): Html {
  return html`<div class="field">
    <label for="amount">${texts.amount}</label>
    <span class="hint" id="amount-hint">${fillPlaceholders(texts.amountRange, values)}</span>
    <input
      id="amount"
      inputmode="numeric"
      autocomplete="off"
      maxlength="9"
      value="${suggested ?? ""}"
      aria-describedby="amount-hint problem"
    />
  </div>`;
}

function section(name: string, icon: Html, title: string, content: Html): Html {
  return html`<section class="state ${name}" data-state="${name}" hidden>
    ${icon}
    <h2 tabindex="-1">${title}</h2>
    <div aria-live="polite">${content}</div>
  </section>`;
}

const sendingSection = ({ texts }: PageContent) =>
  section("sending", icons.waiting, texts.sending, html`<p>${texts.sendingText}</p>`);

const promptedSection = ({ texts }: PageContent) =>
  section(
    "prompted",
    icons.phone,
    texts.prompted,
    html`<p id="prompted-text"></p>
      <div aria-live="off">
        <progress id="progress" max="90" value="90" aria-hidden="true"></progress>
        <p class="left" id="seconds" role="timer"></p>
      </div>`,
  );

const checkingSection = ({ texts }: PageContent) =>
  section("checking", icons.waiting, texts.checking, html`<p>${texts.checkingText}</p>`);

/** A bill in parts, or a link that takes any number of payments. */
function mayPayAgain({ status, partpayment, debt }: Bill): boolean {
  return status === "active" && (partpayment || debt === null);
}

const paidSection = ({ texts, bill }: PageContent) =>
  section(
    "paid",
    icons.done,
    texts.paid,
    html`<p id="paid-text"></p>
      <p class="left" id="receipt-coming">${texts.receiptComing}</p>
      <div id="receipt" hidden>
        <dl class="facts">
          <div>
            <dt>${texts.receipt}</dt>
            <dd id="receiptno"></dd>
          </div>
          <div>
            <dt>${texts.mpesaCode}</dt>
            <dd id="momo"></dd>
          </div>
        </dl>
        <a class="button" id="receipt-link">${texts.openReceipt}</a>
      </div>
      ${mayPayAgain(bill) ? html`<button id="anew" type="button" class="quiet">${texts.payAgain}</button>` : undefined}`,
  );

const notPaidSection = ({ texts }: PageContent) =>
  section(
    "notpaid",
    icons.not,
    texts.notpaid,
    html`<p id="reason"></p>
      <button id="again" type="button">${texts.tryAgain}</button>`,
  );

/** The texts that the script needs. */
function scriptTexts({ texts, values }: PageContent): Record<string, string> {
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
    ...Object.fromEntries(own.map((key) => [key, fillPlaceholders(texts[key], values)])),
    ...reasonTexts(texts),
  };
}
