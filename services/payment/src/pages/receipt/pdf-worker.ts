import { servePdfs } from "@malipo/print/paper";
import { receiptPdf, type ReceiptSheet } from "./receipt-pdf.ts";

servePdfs(({ receipt, language }: ReceiptSheet) => receiptPdf(receipt, language));
