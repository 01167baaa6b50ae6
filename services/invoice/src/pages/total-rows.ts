import { sumCents } from "@malipo/core";
import { sanitizeUserText } from "@malipo/print";
import type { InvoicePrint } from "./printable-invoice.ts";
import { amountWords, moneyWords } from "./format.ts";

export interface TotalRow {
  readonly name: string;
  readonly amount: string;
  readonly kind: "part" | "total" | "balance";
}

/** From the subtotal to what is left to pay; what is nothing is left out. */
export function totalRows(invoice: InvoicePrint): TotalRow[] {
  const { subtotal, discount, tax, total, payments, balance } = invoice;
  const paid = sumCents(payments.map(({ amount }) => amount));
  return [
    part("Subtotal", amountWords(subtotal)),
    ...(discount > 0 ? [part("Discount", `−${amountWords(discount)}`)] : []),
    ...(tax
      ? [part(`${sanitizeUserText(tax.title)} ${tax.percent}%`, amountWords(tax.amount))]
      : []),
    { name: "Total", amount: moneyWords(total), kind: "total" },
    ...(paid > 0 ? [part("Paid", `−${amountWords(paid)}`)] : []),
    ...(paid > 0
      ? [{ name: "Balance", amount: moneyWords(balance), kind: "balance" } as const]
      : []),
  ];
}

function part(name: string, amount: string): TotalRow {
  return { name, amount, kind: "part" };
}
