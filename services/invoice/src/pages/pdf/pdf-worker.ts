import { servePdfs } from "@malipo/print/paper";
import { invoicePdf } from "./invoice-pdf.ts";

servePdfs(invoicePdf);
