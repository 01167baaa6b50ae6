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
import { moneyWords } from "../money.ts";
import { factsOf, type ReceiptPrint } from "./receipt-content.ts";
import { fill, words } from "../words.ts";

/** What a worker is given. */
export interface ReceiptSheet {
  readonly receipt: ReceiptPrint;
  readonly language: Language;
}

const left: Place = { x: paper.margin, width: innerWidth };
const nameWidth = 150;
const names: Place = { x: paper.margin, width: nameWidth };
const values: Place = { x: paper.margin + nameWidth, width: innerWidth - nameWidth };
const name: Type = { size: 10.5, color: colors.muted };
const value: Type = { size: 10.5 };

/** The receipt as a PDF: the same as the page, in the same order. */
export async function receiptPdf(receipt: ReceiptPrint, language: Language): Promise<Uint8Array> {
  const say = words[language];
  const business = printable(receipt.business);
  const number = `${say.receipt} ${printable(receipt.receiptno)}`;
  const sheet = openSheet({
    title: fill(say.receiptFrom, { receiptno: receipt.receiptno, business }),
    author: business,
    language,
    at: receipt.paidat,
  });
  sheet.flow(business, left, { size: 18, weight: "bold" });
  sheet.flow(number, left, name);
  sheet.y += 14;
  sheet.flow(moneyWords(receipt.amount), left, { size: 24, weight: "bold", figures: "tabular" });
  sheet.y += 14;
  for (const [what, said] of factsOf(receipt, language)) drawFact(sheet, what, printable(said));
  signPages(sheet, number, (page, count) => fill(say.pageOf, { number: page, count }));
  return sheet.finish();
}

function drawFact(sheet: Sheet, what: string, said: string): void {
  sheet.need(40);
  sheet.rule(colors.line);
  sheet.y += 7;
  sheet.put([what], sheet.y, names, name);
  sheet.flow(said, values, value);
  sheet.y += 7;
}
