import type { Customers } from "./customers.ts";
import type { Products } from "./products.ts";

/** What handlers work with. */
export interface Deps {
  readonly customers: Customers;
  readonly products: Products;
}
