import { page } from "../definition/page.ts";

/** 128 random bits: a pay link that is posted in public must not open a customer's invoice. */
const code = /^[\w-]{22}$/;
const ofInvoice = { service: "invoice", noun: "invoice", code } as const;

export const invoicePages = {
  showInvoicePage: page({
    ...ofInvoice,
    verb: "show-invoice-page",
    path: "/i/:code",
    summary: "An invoice as its customer sees it",
    media: "text/html; charset=utf-8",
  }),
  showInvoicePdf: page({
    ...ofInvoice,
    verb: "show-invoice-pdf",
    path: "/i/:code.pdf",
    summary: "The same as a PDF",
    media: "application/pdf",
  }),
} as const;
