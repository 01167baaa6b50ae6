import { sanitizeUserText } from "@malipo/print";
import {
  colors,
  drawTable,
  innerWidth,
  lineHeight,
  openSheet,
  pageSize,
  type TextBlock,
  type Sheet,
  writeFooters,
  type TextStyle,
} from "@malipo/print/paper";
import type { PrintableInvoice, PrintableLine } from "../printable-invoice.ts";
import { buildTotalRows } from "../total-rows.ts";
import {
  formatAmount,
  formatDay,
  formatTime,
  formatMoney,
  formatQuantity,
  statusLabels,
} from "../format.ts";
import { drawPayBox } from "./pay-box.ts";

const left: TextBlock = { x: pageSize.margin, width: innerWidth };
const right: TextBlock = { ...left, align: "right" };
const body: TextStyle = { size: 9.5 };
const small: TextStyle = { size: 8.5, color: colors.muted };
const strong: TextStyle = { size: 9.5, weight: "bold" };

/** Renders the PDF. It shows the same as the page, in the same order. */
export async function renderInvoicePdf(invoice: PrintableInvoice): Promise<Uint8Array> {
  const business = sanitizeUserText(invoice.business);
  const title = `Invoice ${sanitizeUserText(invoice.invoiceno)}`;
  const sheet = openSheet({
    title: `${title} from ${business}`,
    author: business,
    language: "en",
    at: invoice.asof,
  });
  drawHead(sheet, invoice);
  sheet.onNewPage = () => drawRunningHead(sheet, `${business} · ${title}`);
  drawParties(sheet, invoice);
  drawSubject(sheet, invoice);
  drawItems(sheet, invoice.lines);
  drawTotals(sheet, invoice);
  drawPayments(sheet, invoice);
  drawPayBox(sheet, invoice);
  const note = `As of ${formatTime(invoice.asof)}, East Africa Time`;
  writeFooters(sheet, note, (number, count) => `Page ${number} of ${count}`);
  return sheet.finish();
}

function drawHead(sheet: Sheet, { business, invoiceno, status }: PrintableInvoice): void {
  const name: TextStyle = { size: 18, weight: "bold" };
  const nameLines = sheet.wrap(sanitizeUserText(business), innerWidth - 180, name);
  const nameHeight = sheet.writeLines(nameLines, sheet.y - 4, left, name);
  const number: TextStyle = { size: 10.5, weight: "bold" };
  const numberHeight = sheet.writeLines(
    [`Invoice ${sanitizeUserText(invoiceno)}`],
    sheet.y,
    right,
    number,
  );
  sheet.writeLines([statusLabels[status]], sheet.y + numberHeight, right, {
    ...strong,
    color: statusColors[status] ?? colors.muted,
  });
  sheet.y += Math.max(nameHeight, numberHeight + lineHeight(strong)) + 14;
  sheet.drawRule(colors.line);
  sheet.y += 18;
}

const statusColors: { readonly [status in PrintableInvoice["status"]]?: string } = {
  paid: colors.accent,
  partially_paid: "#8a5300",
  overdue: "#a3211a",
};

function drawRunningHead(sheet: Sheet, text: string): void {
  const [line = ""] = sheet.wrap(text, innerWidth, small);
  sheet.y += sheet.writeLines([line], sheet.y, left, small) + 10;
}

function drawParties(sheet: Sheet, { customer, issued, due, balance }: PrintableInvoice): void {
  const column: TextBlock = { x: pageSize.margin, width: innerWidth * 0.55 };
  const from = sheet.y;
  sheet.y += sheet.writeLines(["Billed to"], sheet.y, column, small);
  sheet.writeText(sanitizeUserText(customer.name), column, { size: 11, weight: "bold" });
  for (const line of [customer.email, customer.phone]) {
    if (line !== null)
      sheet.writeText(sanitizeUserText(line), column, { ...body, color: colors.muted });
  }
  const facts: TextBlock = { x: pageSize.margin + innerWidth * 0.64, width: innerWidth * 0.36 };
  let y = from;
  for (const [name, value, type] of [
    ["Issued", formatDay(issued), body],
    ["Due", formatDay(due), body],
    ["Balance", formatMoney(balance), strong],
  ] as const) {
    sheet.writeLines([name], y, facts, small);
    y += sheet.writeLines([value], y, { ...facts, align: "right" }, type) + 1;
  }
  sheet.y = Math.max(sheet.y, y) + 18;
}

function drawSubject(sheet: Sheet, { title, description }: PrintableInvoice): void {
  sheet.writeText(sanitizeUserText(title), left, { size: 12.5, weight: "bold" });
  if (description !== null) {
    sheet.writeText(
      sanitizeUserText(description),
      { ...left, width: 400 },
      { ...body, color: colors.muted },
    );
  }
  sheet.y += 14;
}

function drawItems(sheet: Sheet, lines: readonly PrintableLine[]): void {
  drawTable(
    sheet,
    [
      { name: "Item", width: innerWidth - 250 },
      { name: "Quantity", width: 70, align: "right" },
      { name: "Price", width: 90, align: "right" },
      { name: "Amount", width: 90, align: "right" },
    ],
    lines.map(({ name, quantity, rate, total }) => [
      sanitizeUserText(name),
      formatQuantity(quantity),
      formatAmount(rate),
      formatAmount(total),
    ]),
  );
}

function drawTotals(sheet: Sheet, invoice: PrintableInvoice): void {
  const rows = buildTotalRows(invoice);
  const place: TextBlock = { x: pageSize.width - pageSize.margin - 230, width: 230 };
  const typeOf = { part: body, total: { size: 12, weight: "bold" }, balance: strong } as const;
  sheet.y += 8;
  sheet.ensureSpace(rows.length * 22);
  for (const { name, amount, kind } of rows) {
    const type: TextStyle = typeOf[kind];
    const amountPlace: TextBlock = { ...place, align: "right" };
    const names = sheet.wrap(sanitizeUserText(name), place.width - 110, type);
    const shown: TextStyle = kind === "part" ? { ...type, color: colors.muted } : type;
    if (kind === "total") sheet.y += 3;
    const height = sheet.writeLines(names, sheet.y, place, shown);
    sheet.writeLines([amount], sheet.y, amountPlace, { ...type, figures: "tabular" });
    sheet.y += height + 3;
  }
}

function drawPayments(sheet: Sheet, { payments }: PrintableInvoice): void {
  if (payments.length === 0) return;
  sheet.y += 18;
  sheet.ensureSpace(90);
  sheet.writeText("Payments", left, { size: 11, weight: "bold" });
  sheet.y += 4;
  drawTable(
    sheet,
    [
      { name: "When", width: 170 },
      { name: "What", width: innerWidth - 280 },
      { name: "Amount", width: 110, align: "right" },
    ],
    payments.map(({ at, label, amount }) => [
      at ? formatTime(at) : "–",
      sanitizeUserText(label),
      formatAmount(amount),
    ]),
  );
}
