import { sumCents } from "@malipo/core";
import { sanitizeUserText } from "@malipo/print";
import type { PrintableInvoice } from "./printable-invoice.ts";
import { formatAmount, formatMoney } from "./format.ts";

export interface TotalRow {
  readonly name: string;
  readonly amount: string;
  readonly kind: "part" | "total" | "balance";
}

/** The rows from the subtotal to the balance. Rows without an amount are left out. */
export function buildTotalRows(invoice: PrintableInvoice): TotalRow[] {
  const { subtotal, discount, tax, total, payments, balance } = invoice;
  const paid = sumCents(payments.map(({ amount }) => amount));
  return [
    partRow("Subtotal", formatAmount(subtotal)),
    ...(discount > 0 ? [partRow("Discount", `−${formatAmount(discount)}`)] : []),
    ...(tax
      ? [partRow(`${sanitizeUserText(tax.title)} ${tax.percent}%`, formatAmount(tax.amount))]
      : []),
    { name: "Total", amount: formatMoney(total), kind: "total" },
    ...(paid > 0 ? [partRow("Paid", `−${formatAmount(paid)}`)] : []),
    ...(paid > 0
      ? [{ name: "Balance", amount: formatMoney(balance), kind: "balance" } as const]
      : []),
  ];
}

function partRow(name: string, amount: string): TotalRow {
  return { name, amount, kind: "part" };
}
