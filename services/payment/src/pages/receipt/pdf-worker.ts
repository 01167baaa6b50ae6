import { servePdfRequests } from "@malipo/print/paper";
import { receiptPdf, type ReceiptSheet } from "./receipt-pdf.ts";

servePdfRequests(({ receipt, language }: ReceiptSheet) => receiptPdf(receipt, language));
