import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
  Turn,
} from "@malipo/platform";
import type { PdfRenderer } from "@malipo/print";
import type { Credits } from "./store/credits.ts";
import type { Customers } from "./store/customers.ts";
import type { Invoices } from "./store/invoices.ts";
import type { PrintableInvoice } from "./pages/printable-invoice.ts";
import type { Products } from "./store/products.ts";
import type { Taxes } from "./store/taxes.ts";

/** The dependencies of handlers, workflows and jobs. */
export interface Deps {
  readonly service: Service;
  /** The base of the addresses that customers open: pay links, QR codes and printable invoices. */
  readonly publicUrl: string;
  readonly businesses: BusinessViews;
  readonly numbering: Numbering;
  readonly codes: Codes;
  readonly customers: Customers;
  readonly products: Products;
  readonly taxes: Taxes;
  readonly invoices: Invoices;
  readonly credits: Credits;
  readonly pdfRenderer: PdfRenderer<PrintableInvoice, Turn>;
  /** The collections whose records carry events. */
  readonly collections: readonly EventfulCollection[];
  /** The collections with records that wait for an operator after too many failed attempts. */
  readonly parked: readonly ParkedPlace[];
}
