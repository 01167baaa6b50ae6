import type { Language } from "@malipo/contracts";
import { printable } from "@malipo/print";
import {
  colors,
  innerWidth,
  openSheet,
  paper,
  type Place,
  type Sheet,
  signPages,
  type Type,
} from "@malipo/print/paper";
import { formatMoney } from "../format-money.ts";
import { receiptFacts, type ReceiptContent } from "./receipt-content.ts";
import { fillPlaceholders, pageTexts } from "../texts.ts";

/** The input of a PDF worker. */
export interface ReceiptSheet {
  readonly receipt: ReceiptContent;
  readonly language: Language;
}

const left: Place = { x: paper.margin, width: innerWidth };
const nameWidth = 150;
const names: Place = { x: paper.margin, width: nameWidth };
const values: Place = { x: paper.margin + nameWidth, width: innerWidth - nameWidth };
const name: Type = { size: 10.5, color: colors.muted };
const value: Type = { size: 10.5 };

/** Draws the same content as the page, in the same order. */
export async function receiptPdf(receipt: ReceiptContent, language: Language): Promise<Uint8Array> {
  const texts = pageTexts[language];
  const business = printable(receipt.business);
  const number = `${texts.receipt} ${printable(receipt.receiptno)}`;
  const sheet = openSheet({
    title: fillPlaceholders(texts.receiptFrom, { receiptno: receipt.receiptno, business }),
    author: business,
    language,
    at: receipt.paidat,
  });
  sheet.flow(business, left, { size: 18, weight: "bold" });
  sheet.flow(number, left, name);
  sheet.y += 14;
  sheet.flow(formatMoney(receipt.amount), left, { size: 24, weight: "bold", figures: "tabular" });
  sheet.y += 14;
  for (const [label, text] of receiptFacts(receipt, language))
    drawFact(sheet, label, printable(text));
  signPages(sheet, number, (page, count) =>
    fillPlaceholders(texts.pageOf, { number: page, count }),
  );
  return sheet.finish();
}

function drawFact(sheet: Sheet, label: string, text: string): void {
  sheet.need(40);
  sheet.rule(colors.line);
  sheet.y += 7;
  sheet.put([label], sheet.y, names, name);
  sheet.flow(text, values, value);
  sheet.y += 7;
}
