import type { Language } from "@malipo/contracts";
import { type Cents, type Html, html, maskPhone, styleElement } from "@malipo/core";
import { pagePolicy } from "@malipo/platform";
import { icons } from "./icons.ts";
import { moneyWords } from "./money.ts";
import { printable, theirs } from "./printable.ts";
import { receiptStyle } from "./receipt-style.ts";
import { fill, type Words, words } from "./words.ts";

export const receiptPagePolicy = pagePolicy(receiptStyle);

/** A receipt as its payer sees it: all that is shown, and nothing else. */
export interface ReceiptPrint {
  readonly business: string;
  readonly receiptno: string;
  readonly title: string;
  readonly amount: Cents;
  readonly paidat: Date;
  readonly phone: string;
  readonly momoreceiptnumber: string | null;
  readonly referenceid: string | null;
}

export function receiptPage(receipt: ReceiptPrint, language: Language): string {
  const say = words[language];
  const { business, receiptno } = receipt;
  const other = language === "en" ? "sw" : "en";
  const title = fill(say.receiptFrom, { receiptno, business: printable(business) });
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement(receiptStyle)}
      </head>
      <body>
        <main>
          <nav>
            <a href="?lang=${other}" lang="${other}" hreflang="${other}">${say.otherLanguage}</a>
          </nav>
          <header>
            ${icons.done}
            <h1>${theirs(business)}</h1>
            <p class="number">${say.receipt} ${receiptno}</p>
            <p class="amount">${moneyWords(receipt.amount)}</p>
          </header>
          <dl>
            ${factsOf(receipt, language, say).map(
              ([name, value]) =>
                html`<div>
                  <dt>${name}</dt>
                  <dd>${value}</dd>
                </div> `,
            )}
          </dl>
        </main>
      </body>
    </html> `.text;
}

function factsOf(
  receipt: ReceiptPrint,
  language: Language,
  say: Words,
): readonly (readonly [string, Html | string])[] {
  const { title, paidat, phone, momoreceiptnumber, referenceid } = receipt;
  return [
    [say.receiptFor, theirs(title)],
    [say.receiptDate, `${moments[language].format(paidat)}, ${say.eastAfrica}`],
    [say.receiptMethod, "M-Pesa"],
    [say.receiptPhone, maskPhone(phone)],
    ...(momoreceiptnumber === null ? [] : [[say.mpesaCode, momoreceiptnumber] as const]),
    ...(referenceid === null ? [] : [[say.receiptReference, theirs(referenceid)] as const]),
  ];
}

const moment = {
  timeZone: "Africa/Nairobi",
  dateStyle: "long",
  timeStyle: "short",
  hourCycle: "h23",
} as const;

const moments = {
  en: new Intl.DateTimeFormat("en-GB", moment),
  sw: new Intl.DateTimeFormat("sw-KE", moment),
};
