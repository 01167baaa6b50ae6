import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
} from "@malipo/platform";
import type { PdfRenderer } from "@malipo/print";
import type { Credits } from "./store/credits.ts";
import type { Customers } from "./store/customers.ts";
import type { Invoices } from "./store/invoices.ts";
import type { InvoicePrint } from "./pages/printable-invoice.ts";
import type { Products } from "./store/products.ts";
import type { Taxes } from "./store/taxes.ts";

/** What handlers work with. */
export interface Deps {
  readonly service: Service;
  /** Where customers reach what invoices point to. */
  readonly publicUrl: string;
  readonly businesses: BusinessViews;
  readonly numbering: Numbering;
  readonly codes: Codes;
  readonly customers: Customers;
  readonly products: Products;
  readonly taxes: Taxes;
  readonly invoices: Invoices;
  readonly credits: Credits;
  readonly pdfs: PdfRenderer<InvoicePrint>;
  readonly collections: readonly EventfulCollection[];
  /** Where what failed too often waits for an operator. */
  readonly parked: readonly ParkedPlace[];
}
