import { printable } from "@malipo/print";
import {
  colors,
  drawTable,
  innerWidth,
  lineHeight,
  openSheet,
  paper,
  type Place,
  type Sheet,
  signPages,
  type Type,
} from "@malipo/print/paper";
import type { InvoicePrint, PrintLine } from "../printable-invoice.ts";
import { totalRows } from "../total-rows.ts";
import {
  amountWords,
  dayWords,
  momentWords,
  moneyWords,
  quantityWords,
  statusWords,
} from "../words.ts";
import { drawPay } from "./pay-box.ts";

const left: Place = { x: paper.margin, width: innerWidth };
const right: Place = { ...left, align: "right" };
const body: Type = { size: 9.5 };
const small: Type = { size: 8.5, color: colors.muted };
const strong: Type = { size: 9.5, weight: "bold" };

/** The invoice as a PDF: the same as the page, in the same order. */
export async function invoicePdf(invoice: InvoicePrint): Promise<Uint8Array> {
  const business = printable(invoice.business);
  const title = `Invoice ${printable(invoice.invoiceno)}`;
  const sheet = openSheet({
    title: `${title} from ${business}`,
    author: business,
    language: "en",
    at: invoice.asof,
  });
  drawHead(sheet, invoice);
  sheet.onPage = () => drawRunningHead(sheet, `${business} · ${title}`);
  drawParties(sheet, invoice);
  drawSubject(sheet, invoice);
  drawItems(sheet, invoice.lines);
  drawTotals(sheet, invoice);
  drawPayments(sheet, invoice);
  drawPay(sheet, invoice);
  const note = `As of ${momentWords(invoice.asof)}, East Africa Time`;
  signPages(sheet, note, (number, count) => `Page ${number} of ${count}`);
  return sheet.finish();
}

function drawHead(sheet: Sheet, { business, invoiceno, status }: InvoicePrint): void {
  const name: Type = { size: 18, weight: "bold" };
  const nameLines = sheet.wrap(printable(business), innerWidth - 180, name);
  const nameHeight = sheet.put(nameLines, sheet.y - 4, left, name);
  const number: Type = { size: 10.5, weight: "bold" };
  const numberHeight = sheet.put([`Invoice ${printable(invoiceno)}`], sheet.y, right, number);
  sheet.put([statusWords[status]], sheet.y + numberHeight, right, {
    ...strong,
    color: statusColors[status] ?? colors.muted,
  });
  sheet.y += Math.max(nameHeight, numberHeight + lineHeight(strong)) + 14;
  sheet.rule(colors.line);
  sheet.y += 18;
}

const statusColors: { readonly [status in InvoicePrint["status"]]?: string } = {
  paid: colors.accent,
  partially_paid: "#8a5300",
  overdue: "#a3211a",
};

function drawRunningHead(sheet: Sheet, text: string): void {
  const [line = ""] = sheet.wrap(text, innerWidth, small);
  sheet.y += sheet.put([line], sheet.y, left, small) + 10;
}

function drawParties(sheet: Sheet, { customer, issued, due, balance }: InvoicePrint): void {
  const column: Place = { x: paper.margin, width: innerWidth * 0.55 };
  const from = sheet.y;
  sheet.y += sheet.put(["Billed to"], sheet.y, column, small);
  sheet.flow(printable(customer.name), column, { size: 11, weight: "bold" });
  for (const line of [customer.email, customer.phone]) {
    if (line !== null) sheet.flow(printable(line), column, { ...body, color: colors.muted });
  }
  const facts: Place = { x: paper.margin + innerWidth * 0.64, width: innerWidth * 0.36 };
  let y = from;
  for (const [name, value, type] of [
    ["Issued", dayWords(issued), body],
    ["Due", dayWords(due), body],
    ["Balance", moneyWords(balance), strong],
  ] as const) {
    sheet.put([name], y, facts, small);
    y += sheet.put([value], y, { ...facts, align: "right" }, type) + 1;
  }
  sheet.y = Math.max(sheet.y, y) + 18;
}

function drawSubject(sheet: Sheet, { title, description }: InvoicePrint): void {
  sheet.flow(printable(title), left, { size: 12.5, weight: "bold" });
  if (description !== null) {
    sheet.flow(printable(description), { ...left, width: 400 }, { ...body, color: colors.muted });
  }
  sheet.y += 14;
}

function drawItems(sheet: Sheet, lines: readonly PrintLine[]): void {
  drawTable(
    sheet,
    [
      { name: "Item", width: innerWidth - 250 },
      { name: "Quantity", width: 70, align: "right" },
      { name: "Price", width: 90, align: "right" },
      { name: "Amount", width: 90, align: "right" },
    ],
    lines.map(({ name, quantity, rate, total }) => [
      printable(name),
      quantityWords(quantity),
      amountWords(rate),
      amountWords(total),
    ]),
  );
}

function drawTotals(sheet: Sheet, invoice: InvoicePrint): void {
  const rows = totalRows(invoice);
  const place: Place = { x: paper.width - paper.margin - 230, width: 230 };
  const typeOf = { part: body, total: { size: 12, weight: "bold" }, balance: strong } as const;
  sheet.y += 8;
  sheet.need(rows.length * 22);
  for (const { name, amount, kind } of rows) {
    const type: Type = typeOf[kind];
    const amountPlace: Place = { ...place, align: "right" };
    const names = sheet.wrap(printable(name), place.width - 110, type);
    const shown: Type = kind === "part" ? { ...type, color: colors.muted } : type;
    if (kind === "total") sheet.y += 3;
    const height = sheet.put(names, sheet.y, place, shown);
    sheet.put([amount], sheet.y, amountPlace, { ...type, figures: "tabular" });
    sheet.y += height + 3;
  }
}

function drawPayments(sheet: Sheet, { payments }: InvoicePrint): void {
  if (payments.length === 0) return;
  sheet.y += 18;
  sheet.need(90);
  sheet.flow("Payments", left, { size: 11, weight: "bold" });
  sheet.y += 4;
  drawTable(
    sheet,
    [
      { name: "When", width: 170 },
      { name: "What", width: innerWidth - 280 },
      { name: "Amount", width: 110, align: "right" },
    ],
    payments.map(({ at, label, amount }) => [
      at ? momentWords(at) : "–",
      printable(label),
      amountWords(amount),
    ]),
  );
}
