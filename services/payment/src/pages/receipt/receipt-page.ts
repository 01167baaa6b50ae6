import type { Language } from "@malipo/contracts";
import { html, styleElement } from "@malipo/core";
import { contentSecurityPolicy } from "@malipo/platform";
import { sanitizeUserText, renderUserText } from "@malipo/print";
import { icons } from "../icons.ts";
import { formatMoney } from "../format-money.ts";
import { receiptFacts, type ReceiptContent } from "./receipt-content.ts";
import { receiptStyle } from "./receipt-style.ts";
import { fillPlaceholders, pageTexts } from "../texts.ts";

export const receiptPagePolicy = contentSecurityPolicy(receiptStyle);

export function receiptPage(receipt: ReceiptContent, language: Language): string {
  const texts = pageTexts[language];
  const { business, receiptno } = receipt;
  const other = language === "en" ? "sw" : "en";
  const title = fillPlaceholders(texts.receiptFrom, {
    receiptno,
    business: sanitizeUserText(business),
  });
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
            <a href="?lang=${other}" lang="${other}" hreflang="${other}">${texts.otherLanguage}</a>
          </nav>
          <header>
            ${icons.done}
            <h1>${renderUserText(business)}</h1>
            <p class="number">${texts.receipt} ${receiptno}</p>
            <p class="amount">${formatMoney(receipt.amount)}</p>
          </header>
          <dl>
            ${receiptFacts(receipt, language).map(
              ([name, value]) =>
                html`<div>
                  <dt>${name}</dt>
                  <dd>${renderUserText(value)}</dd>
                </div> `,
            )}
          </dl>
          <p class="pdf"><a href="${receipt.code}.pdf?lang=${language}">${texts.downloadPdf}</a></p>
        </main>
      </body>
    </html> `.text;
}
