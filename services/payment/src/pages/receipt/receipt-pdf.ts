import type { Language } from "@malipo/contracts";
import { sanitizeUserText } from "@malipo/print";
import {
  colors,
  innerWidth,
  openSheet,
  pageSize,
  type TextBlock,
  type Sheet,
  writeFooters,
  type TextStyle,
} from "@malipo/print/paper";
import { formatMoney } from "../format-money.ts";
import { receiptFacts, type ReceiptContent } from "./receipt-content.ts";
import { fillPlaceholders, pageTexts } from "../texts.ts";

/** The input of a PDF worker. */
export interface ReceiptSheet {
  readonly receipt: ReceiptContent;
  readonly language: Language;
}

const left: TextBlock = { x: pageSize.margin, width: innerWidth };
const nameWidth = 150;
const names: TextBlock = { x: pageSize.margin, width: nameWidth };
const values: TextBlock = { x: pageSize.margin + nameWidth, width: innerWidth - nameWidth };
const name: TextStyle = { size: 10.5, color: colors.muted };
const value: TextStyle = { size: 10.5 };

/** Draws the same content as the page, in the same order. */
export async function receiptPdf(receipt: ReceiptContent, language: Language): Promise<Uint8Array> {
  const texts = pageTexts[language];
  const business = sanitizeUserText(receipt.business);
  const number = `${texts.receipt} ${sanitizeUserText(receipt.receiptno)}`;
  const sheet = openSheet({
    title: fillPlaceholders(texts.receiptFrom, { receiptno: receipt.receiptno, business }),
    author: business,
    language,
    at: receipt.paidat,
  });
  sheet.writeText(business, left, { size: 18, weight: "bold" });
  sheet.writeText(number, left, name);
  sheet.y += 14;
  sheet.writeText(formatMoney(receipt.amount), left, {
    size: 24,
    weight: "bold",
    figures: "tabular",
  });
  sheet.y += 14;
  for (const [label, text] of receiptFacts(receipt, language))
    drawFact(sheet, label, sanitizeUserText(text));
  writeFooters(sheet, number, (page, count) =>
    fillPlaceholders(texts.pageOf, { number: page, count }),
  );
  return sheet.finish();
}

function drawFact(sheet: Sheet, label: string, text: string): void {
  sheet.ensureSpace(40);
  sheet.drawRule(colors.line);
  sheet.y += 7;
  sheet.writeLines([label], sheet.y, names, name);
  sheet.writeText(text, values, value);
  sheet.y += 7;
}
