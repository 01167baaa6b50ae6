import { servePdfRequests } from "@malipo/print/paper";
import { invoicePdf } from "./invoice-pdf.ts";

servePdfRequests(invoicePdf);
