import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  Service,
} from "@malipo/platform";
import type { Credits } from "./credits.ts";
import type { Customers } from "./customers.ts";
import type { Invoices } from "./invoices.ts";
import type { Pdfs } from "./print/pdf/pdfs.ts";
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
  readonly pdfs: Pdfs;
  readonly collections: readonly EventfulCollection[];
}
