import { sanitizeUserText, qrModules } from "@malipo/print";
import {
  colors,
  innerWidth,
  pageSize,
  type TextBlock,
  type Sheet,
  type TextStyle,
} from "@malipo/print/paper";
import type { PrintableInvoice } from "../printable-invoice.ts";
import { formatMoney } from "../format.ts";

const qrSize = 88;
const padding = 16;
const body: TextStyle = { size: 9.5, color: colors.muted };

/** Draws how to pay: a QR code for paper, and a link for a screen. */
export function drawPayBox(sheet: Sheet, invoice: PrintableInvoice): void {
  const { payaddress, suspended, business, balance } = invoice;
  if (payaddress === null && !suspended) return;
  sheet.y += 22;
  sheet.ensureSpace(qrSize + 2 * padding);
  if (payaddress === null || suspended) {
    const text = `${sanitizeUserText(business)} does not take payments at the moment.`;
    return sheet.writeText(text, { x: pageSize.margin, width: innerWidth }, body);
  }
  const top = sheet.y;
  const { document } = sheet;
  document.roundedRect(pageSize.margin, top, innerWidth, qrSize + 2 * padding, 8);
  document.lineWidth(0.75).strokeColor(colors.line).stroke();
  drawQr(sheet, payaddress, pageSize.margin + padding, top + padding);
  const place: TextBlock = {
    x: pageSize.margin + qrSize + 2.5 * padding,
    width: innerWidth - qrSize - 3.5 * padding,
  };
  sheet.y = top + padding + 8;
  sheet.writeText(`Pay ${formatMoney(balance)} by M-Pesa`, place, { size: 12, weight: "bold" });
  sheet.writeText("Scan the code with a phone, or open", place, body);
  const linkTop = sheet.y;
  sheet.writeText(payaddress, place, { ...body, color: colors.accent });
  document.link(place.x, linkTop, place.width, sheet.y - linkTop, payaddress);
  sheet.y = top + qrSize + 2 * padding;
}

function drawQr({ document }: Sheet, address: string, left: number, top: number): void {
  const rows = qrModules(address);
  const side = qrSize / rows.length;
  for (const [y, row] of rows.entries()) {
    for (const [x, isDark] of row.entries()) {
      if (isDark) document.rect(left + x * side, top + y * side, side, side);
    }
  }
  document.fill(colors.ink);
}
