import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
} from "@malipo/platform";
import type { Pdfs } from "@malipo/print";
import type { Credits } from "./credits.ts";
import type { Customers } from "./customers.ts";
import type { Invoices } from "./invoices.ts";
import type { InvoicePrint } from "./print/invoice-print.ts";
import type { Products } from "./products.ts";
import type { Taxes } from "./taxes.ts";

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
  readonly pdfs: Pdfs<InvoicePrint>;
  readonly collections: readonly EventfulCollection[];
  /** Where what failed too often waits for an operator. */
  readonly parked: readonly ParkedPlace[];
}
