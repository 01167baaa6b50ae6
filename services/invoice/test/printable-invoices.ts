import { cents } from "@malipo/core";
import type { PrintableInvoice } from "../src/pages/printable-invoice.ts";

const day = (text: string) => new Date(`${text}T09:30:00Z`);

/** A typical invoice, partially paid. */
export const usualInvoice: PrintableInvoice = {
  business: "Duka la Asha",
  suspended: false,
  customer: { name: "Brian Otieno", email: "b•••@example.co.ke", phone: "2547•••••678" },
  invoiceno: "INV-000123",
  title: "Office internet and support, November 2026",
  description: "Fibre at the Westlands office.\nSupport on working days from 8 to 17.",
  status: "partially_paid",
  issued: day("2026-11-03"),
  due: day("2026-11-10"),
  lines: [
    line("Monthly internet, 10 Mbps", 2, 250_000),
    line("Support, hours", 6, 85_050),
    line(
      "Wireless access point, ceiling mount, with power injector and installation",
      1,
      1_149_900,
    ),
  ],
  subtotal: cents(2_160_200),
  discount: cents(108_010),
  tax: { title: "VAT", percent: 16, amount: cents(328_350) },
  total: cents(2_380_540),
  payments: [
    { at: day("2026-11-04"), label: "M-Pesa UKL7A1B2C3", amount: cents(1_000_000) },
    { at: day("2026-11-05"), label: "Credit", amount: cents(25_000) },
  ],
  balance: cents(1_355_540),
  payaddress: "https://malipo.example/p/iq7xk2m9ab",
  code: "mB3x_-k0Qz7Yt1Wv5Rs9Lg",
  asof: day("2026-11-05"),
};

export function line(name: string, quantity: number, rate: number) {
  return { name, quantity, rate: cents(rate), total: cents(quantity * rate) };
}

export const paidInvoice: PrintableInvoice = {
  ...usualInvoice,
  status: "paid",
  payments: [{ at: day("2026-11-04"), label: "Payment", amount: cents(2_380_540) }],
  balance: cents(0),
  payaddress: null,
};

const override = "\u202egnirtS\u202c";

/** Hostile text in every field. */
export const hostileInvoice: PrintableInvoice = {
  ...usualInvoice,
  business: `<script>alert(1)</script> ${override} & "Sons"`,
  customer: {
    name: `'"><img src=x onerror=alert(2)> ${"W".repeat(160)}`,
    email: "\u0000\u0007\u001b[31m•••@example.co.ke",
    phone: null,
  },
  title: `${"Z\u0351\u0352\u0353\u0354\u0355\u0356".repeat(20)} </title></style><b>bold`,
  description: `${"\n".repeat(900)}--> ]]> <!-- ${override}\u2066\u2067 {{7*7}} \${1} ${"x".repeat(900)}`,
  lines: [
    line("فاتورة الإنترنت لشهر 11 (مكتب نيروبي)", 1, 100),
    line("שירות חודשי 10 Mbps", 1, 100),
    line("👩‍👩‍👧‍👦 Family plan 🎉 ✓ 漢字 かな", 1, 100),
    line("\u200b\u200d\ufeff\u2060", 1, 100),
    line("Ĩtega rĩa Wanjikũ, Привет, Ελληνικά, Việt Nam", 1, 100),
    line("a".repeat(200), 1_000_000, 100_000_000),
  ],
  payaddress: "https://malipo.example/p/iq7xk2m9ab",
};

export const longInvoice: PrintableInvoice = {
  ...usualInvoice,
  lines: Array.from({ length: 200 }, (_, index) =>
    line(`Line ${index + 1}: ${"words of it ".repeat(index % 9)}`, (index % 30) + 1, 12_345),
  ),
};
