import { page } from "../definition/page.ts";

/** 128 random bits, other than the pay link's code: a public pay link must not open a customer's invoice. */
const code = /^[\w-]{22}$/;
const invoicePage = { service: "invoice", noun: "invoice", code } as const;

export const invoicePages = {
  showInvoicePage: page({
    ...invoicePage,
    verb: "show-invoice-page",
    path: "/i/:code",
    summary: "An invoice as its customer sees it",
    media: "text/html; charset=utf-8",
  }),
  showInvoicePdf: page({
    ...invoicePage,
    verb: "show-invoice-pdf",
    path: "/i/:code.pdf",
    summary: "The same as a PDF",
    media: "application/pdf",
  }),
} as const;
