import { cents } from "@malipo/core";
import { sanitizeUserText } from "@malipo/print";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hostileInvoice,
  longInvoice,
  paidInvoice,
  usualInvoice,
} from "../../../test/printable-invoices.ts";
import type { PrintableInvoice } from "../printable-invoice.ts";
import { renderInvoicePage, invoicePagePolicy } from "./invoice-page.ts";

const entities: Readonly<Record<string, string>> = {
  "&#38;": "&",
  "&#60;": "<",
  "&#62;": ">",
  "&#34;": '"',
  "&#39;": "'",
};

/** Any text, mostly of scripts that are in use. */
const anyText = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.nat(0x2fff), fc.nat(0x10ffff)), { maxLength })
    .map((codePoints) => String.fromCodePoint(...codePoints));

/** The visible text of a page, one element per line. */
function textOf(page: string): string {
  return page
    .replace(/<style>[^<]*<\/style>/, "")
    .replaceAll(/<\/?bdi>/g, "")
    .replaceAll(/<[^>]*>/g, "\n")
    .replaceAll(/&#\d+;/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

function tagsOf(page: string): string[] {
  return page.match(/<[^>]*>/g) ?? [];
}

describe("the page of an invoice", () => {
  it("shows all parts of the invoice in order", () => {
    expect(textOf(renderInvoicePage(usualInvoice)).split("\n")).toEqual(
      [
        "Invoice INV-000123 from Duka la Asha",
        "Duka la Asha",
        "Invoice",
        "INV-000123",
        "Partially paid",
        "Billed to",
        "Brian Otieno",
        "b•••@example.co.ke",
        "2547•••••678",
        ["Issued", "3 November 2026", "Due", "10 November 2026", "Balance", "KES 13,555.40"],
        "Office internet and support, November 2026",
        "Fibre at the Westlands office.",
        "Support on working days from 8 to 17.",
        ["Item", "Quantity", "Price", "Amount"],
        ["Monthly internet, 10 Mbps", "2", "2,500.00", "5,000.00"],
        ["Support, hours", "6", "850.50", "5,103.00"],
        "Wireless access point, ceiling mount, with power injector and installation",
        ["1", "11,499.00", "11,499.00"],
        ["Subtotal", "21,602.00", "Discount", "−1,080.10", "VAT 16%", "3,283.50"],
        ["Total", "KES 23,805.40", "Paid", "−10,250.00", "Balance", "KES 13,555.40"],
        ["Payments", "When", "What", "Amount"],
        ["4 Nov 2026, 12:30", "M-Pesa UKL7A1B2C3", "10,000.00"],
        ["5 Nov 2026, 12:30", "Credit", "250.00"],
        "Pay by M-Pesa",
        "Scan the code with a phone, or open",
        "https://malipo.example/p/iq7xk2m9ab",
        "Pay KES 13,555.40",
        "As of 5 Nov 2026, 12:30, East Africa Time",
        "Download as PDF",
      ].flat(),
    );
  });

  it("has no pay link and no QR code when nothing is owed or the business is suspended", () => {
    for (const invoice of [paidInvoice, { ...usualInvoice, suspended: true }]) {
      const page = renderInvoicePage(invoice);
      expect(page).not.toContain("/p/");
      expect(page).not.toContain("<svg");
    }
    expect(renderInvoicePage({ ...usualInvoice, suspended: true })).toContain(
      "does not take payments at the moment",
    );
  });

  it("leaves out rows without a value", () => {
    const bare: PrintableInvoice = {
      ...usualInvoice,
      customer: { name: "Asha", email: null, phone: null },
      description: null,
      discount: cents(0),
      tax: null,
      payments: [],
    };
    const text = textOf(renderInvoicePage(bare));
    expect(text).not.toMatch(/Discount|VAT|Paid|Payments|null/);
  });

  it("has no script, no event handler, and links only to the pay page and its PDF", () => {
    for (const invoice of [usualInvoice, hostileInvoice, longInvoice]) {
      const tags = tagsOf(renderInvoicePage(invoice)).join("");
      expect(tags).not.toMatch(/<(script|img|link|iframe|object|form|base)|\son\w+=|style="/i);
      const addresses = [...tags.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address);
      expect(new Set(addresses)).toEqual(
        new Set([usualInvoice.payaddress, `${usualInvoice.code}.pdf`]),
      );
    }
    expect(invoicePagePolicy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
  });

  it("escapes every text, so that text never becomes markup", () => {
    const text = fc.oneof(
      anyText(60),
      fc.string({
        unit: fc.constantFrom("<", ">", "&", '"', "'", "/", "=", "a", " ", "-", "!"),
        maxLength: 40,
      }),
    );
    const markup = tagsOf(renderInvoicePage(withText(() => "harmless")));
    fc.assert(
      fc.property(fc.array(text, { minLength: 8, maxLength: 8 }), (texts) => {
        const page = renderInvoicePage(withText((index) => texts[index] ?? ""));
        expect(tagsOf(page)).toEqual(markup);
        const shown = textOf(page);
        for (const each of texts)
          expect(shown).toContain(sanitizeUserText(each).replaceAll(/\s*\n\s*/g, "\n"));
      }),
    );
  });
});

function withText(text: (index: number) => string): PrintableInvoice {
  return {
    ...usualInvoice,
    business: text(0),
    customer: { name: text(1), email: text(2), phone: text(3) },
    title: text(4),
    description: text(5),
    lines: usualInvoice.lines.map((line) => ({ ...line, name: text(6) })),
    tax: { title: text(7), percent: 16, amount: cents(100) },
    payaddress: null,
  };
}
