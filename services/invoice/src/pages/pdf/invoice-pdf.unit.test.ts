import { pdfPages, withoutSpaces } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  hostileInvoice,
  longInvoice,
  paidInvoice,
  usualInvoice,
} from "../../../test/printable-invoices.ts";
import { renderInvoicePdf } from "./invoice-pdf.ts";
import { startInvoicePdfs } from "./pdf-renderer.ts";

describe("the PDF of an invoice", { timeout: 60_000 }, () => {
  it("shows the same as the page", async () => {
    const [page = "", ...more] = await pdfPages(await renderInvoicePdf(usualInvoice));
    expect(more).toEqual([]);
    for (const text of [
      "Duka la Asha",
      "Invoice INV-000123",
      "Partially paid",
      "Brian Otieno",
      "b•••@example.co.ke",
      "2547•••••678",
      "3 November 2026",
      "10 November 2026",
      "Office internet and support, November 2026",
      "Support on working days from 8 to 17.",
      "Item Quantity Price Amount",
      "Support, hours 6 850.50 5,103.00",
      "Subtotal 21,602.00 Discount −1,080.10 VAT 16% 3,283.50",
      "Total KES 23,805.40 Paid −10,250.00 Balance KES 13,555.40",
      "4 Nov 2026, 12:30 M-Pesa UKL7A1B2C3 10,000.00",
      "5 Nov 2026, 12:30 Credit 250.00",
      "Pay KES 13,555.40 by M-Pesa",
      "https://malipo.example/p/iq7xk2m9ab",
      "As of 5 Nov 2026, 12:30, East Africa Time",
      "Page 1 of 1",
    ]) {
      expect(page).toContain(withoutSpaces(text));
    }
  });

  it("has no pay link when nothing is owed", async () => {
    const [page = ""] = await pdfPages(await renderInvoicePdf(paidInvoice));
    expect(page).not.toContain("/p/");
    expect(page).toContain("Paid");
  });

  it("repeats the headings on every page of a long invoice and shows every line", async () => {
    const pages = await pdfPages(await renderInvoicePdf(longInvoice));
    expect(pages.length).toBeGreaterThan(5);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain("ItemQuantityPriceAmount");
      expect(page).toContain("INV-000123");
      expect(page).toContain(`Page${index + 1}of${pages.length}`);
    }
    const all = pages.join("");
    for (let line = 1; line <= 200; line += 1) expect(all).toContain(`Line${line}:`);
  });

  it("renders hostile text safely, with a box for each character that its fonts lack", async () => {
    const all = (await pdfPages(await renderInvoicePdf(hostileInvoice))).join("");
    for (const text of [
      "<script>alert(1)</script>",
      "'\"><img src=x onerror=alert(2)>",
      "</title></style><b>bold",
      "--> ]]> <!--",
      "Ĩtega rĩa Wanjikũ, Привет, Ελληνικά, Việt",
      "Family plan □ ✓ □□ □□",
      "1,000,000,000,000.00",
    ]) {
      expect(all).toContain(withoutSpaces(text));
    }
    expect(all).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  it("is rendered in a worker thread", async () => {
    const pdfRenderer = startInvoicePdfs({ run: (_turn, work) => work() }, 30_000);
    onTestFinished(() => pdfRenderer.close());
    const turn = { key: "business", deadline: new Date() };
    const made = await pdfRenderer.render("v1", usualInvoice, turn);
    if (!made.ok) throw new Error(made.error.logText);
    const [page] = await pdfPages(made.value);
    expect(page).toContain("Officeinternetandsupport,November2026");
  });

  it("has the same bytes for the same invoice", async () => {
    expect(await renderInvoicePdf(usualInvoice)).toEqual(await renderInvoicePdf(usualInvoice));
  });
});
