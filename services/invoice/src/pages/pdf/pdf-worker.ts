import { servePdfRequests } from "@malipo/print/paper";
import { renderInvoicePdf } from "./invoice-pdf.ts";

servePdfRequests(renderInvoicePdf);
