import { cents } from "@malipo/core";
import { pdfPages, withoutSpaces } from "@malipo/testing";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { receiptPage } from "./receipt-page.ts";
import type { ReceiptContent } from "./receipt-content.ts";
import { openReceiptPdfs } from "./receipt-pdfs.ts";
import { receiptPdf } from "./receipt-pdf.ts";

const plain: ReceiptContent = {
  business: "Duka la Asha",
  receiptno: "RCT-000042",
  title: "Office internet, November 2026",
  invoiceno: "INV-000123",
  customer: "Brian Otieno",
  amount: cents(1_355_600),
  paidat: new Date("2026-11-05T09:30:00Z"),
  phone: "2547•••••678",
  momoreceiptnumber: "UKL7A1B2C3",
  referenceid: "HOUSE-7",
  code: "mB3x_-k0Qz7Yt1Wv5Rs9Lg",
};

const override = "\u202egnirtS\u202c";

/** Hostile text in every field that takes text. */
const hostile: ReceiptContent = {
  ...plain,
  business: `<script>alert(1)</script> ${override} & "Sons" ${"W".repeat(300)}`,
  title: `</title></style><b>bold ${"Z\u0351\u0352\u0353\u0354\u0355".repeat(20)} {receiptno}`,
  customer: `'"><img src=x onerror=alert(2)> ${"Q".repeat(4_000)} فاتورة 11 שלום`,
  referenceid: `\u0000\u0007\u001b[31m ${"\n".repeat(900)}--> ]]> <!-- \u2066\u2067 end`,
};

async function textOf(receipt: ReceiptContent, language: "en" | "sw" = "en"): Promise<string> {
  return (await pdfPages(await receiptPdf(receipt, language))).join("");
}

describe("receiptPdf", { timeout: 60_000 }, () => {
  it.each([
    ["en", ["Receipt RCT-000042", "For", "Invoice", "Customer", "M-Pesa code", "Page 1 of 1"]],
    ["sw", ["Risiti RCT-000042", "Kwa ajili ya", "Ankara", "Mteja", "Ukurasa wa 1 kati ya 1"]],
  ] as const)("shows in language %s the content of the page", async (language, words) => {
    const text = await textOf(plain, language);
    const page = receiptPage(plain, language);
    for (const said of [
      "Duka la Asha",
      "RCT-000042",
      "KES 13,556",
      "Office internet, November 2026",
      "INV-000123",
      "Brian Otieno",
      "2547•••••678",
      "UKL7A1B2C3",
      "HOUSE-7",
    ]) {
      expect(text).toContain(withoutSpaces(said));
      expect(page).toContain(said);
    }
    for (const word of words) expect(text).toContain(withoutSpaces(word));
    expect(text).toMatch(/5Nov[a-z]+2026/);
    expect(page).toContain(`href="mB3x_-k0Qz7Yt1Wv5Rs9Lg.pdf?lang=${language}"`);
  });

  it("leaves out rows without a value, and shows an invoice number once", async () => {
    const bare = { ...plain, customer: null, momoreceiptnumber: null, title: "INV-000123" };
    const text = await textOf(bare);
    expect(text).not.toMatch(/Customer|M-Pesacode/);
    expect(text.match(/INV-000123/g)).toHaveLength(1);
  });

  it("shows hostile text as text, without losing any of it", async () => {
    const text = await textOf(hostile);
    for (const said of [
      "<script>alert(1)</script>",
      "gnirtS",
      "W".repeat(300),
      "</title></style><b>bold",
      "{receiptno}",
      "'\"><img src=x onerror=alert(2)>",
      "--> ]]> <!--",
      "end",
    ]) {
      expect(text).toContain(withoutSpaces(said));
    }
    // They span two pages, with a footer between.
    expect(text.match(/Q/g)).toHaveLength(4_000);
    expect(text).not.toMatch(/\p{C}/u);
    const page = receiptPage(hostile, "en");
    expect(page).not.toMatch(/<script|<img|<b>|[^\P{C}\n]/u);
    expect(page.match(/<\/title>/g)).toHaveLength(1);
  });

  it("draws any text", async () => {
    const any = fc
      .array(fc.oneof(fc.nat(0x2fff), fc.nat(0x10ffff)), { maxLength: 120 })
      .map((codePoints) => String.fromCodePoint(...codePoints));
    await fc.assert(
      fc.asyncProperty(any, any, async (business, title) => {
        expect(await textOf({ ...plain, business, title })).toContain("UKL7A1B2C3");
      }),
      { numRuns: 8 },
    );
  });

  it("runs in a worker thread", async () => {
    const pdfs = openReceiptPdfs({ run: (_turn, work) => work() }, 30_000);
    onTestFinished(() => pdfs.close());
    const turn = { key: "business", deadline: new Date() };
    const pdf = await pdfs.render("v1", { receipt: plain, language: "sw" }, turn);
    if (!pdf.ok) throw new Error(pdf.error.logText);
    expect((await pdfPages(pdf.value))[0]).toContain("RisitiRCT-000042");
  });
});
