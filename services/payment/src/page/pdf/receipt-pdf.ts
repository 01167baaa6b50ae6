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
import { moneyWords } from "../money.ts";
import { factsOf, type ReceiptPrint } from "../receipt-print.ts";
import { fill, words } from "../words.ts";

/** What a worker is given. */
export interface ReceiptSheet {
  readonly receipt: ReceiptPrint;
  readonly language: Language;
}

const left: TextBlock = { x: pageSize.margin, width: innerWidth };
const nameWidth = 150;
const names: TextBlock = { x: pageSize.margin, width: nameWidth };
const values: TextBlock = { x: pageSize.margin + nameWidth, width: innerWidth - nameWidth };
const name: TextStyle = { size: 10.5, color: colors.muted };
const value: TextStyle = { size: 10.5 };

/** The receipt as a PDF: the same as the page, in the same order. */
export async function receiptPdf(receipt: ReceiptPrint, language: Language): Promise<Uint8Array> {
  const say = words[language];
  const business = sanitizeUserText(receipt.business);
  const number = `${say.receipt} ${sanitizeUserText(receipt.receiptno)}`;
  const sheet = openSheet({
    title: fill(say.receiptFrom, { receiptno: receipt.receiptno, business }),
    author: business,
    language,
    at: receipt.paidat,
  });
  sheet.writeText(business, left, { size: 18, weight: "bold" });
  sheet.writeText(number, left, name);
  sheet.y += 14;
  sheet.writeText(moneyWords(receipt.amount), left, {
    size: 24,
    weight: "bold",
    figures: "tabular",
  });
  sheet.y += 14;
  for (const [what, said] of factsOf(receipt, language))
    drawFact(sheet, what, sanitizeUserText(said));
  writeFooters(sheet, number, (page, count) => fill(say.pageOf, { number: page, count }));
  return sheet.finish();
}

function drawFact(sheet: Sheet, what: string, said: string): void {
  sheet.ensureSpace(40);
  sheet.drawRule(colors.line);
  sheet.y += 7;
  sheet.writeLines([what], sheet.y, names, name);
  sheet.writeText(said, values, value);
  sheet.y += 7;
}
