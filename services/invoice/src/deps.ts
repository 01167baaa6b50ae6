import type { BusinessViews, EventfulCollection, Service } from "@malipo/platform";
import type { Customers } from "./customers.ts";
import type { Products } from "./products.ts";

/** What handlers work with. */
export interface Deps {
  readonly service: Service;
  readonly businesses: BusinessViews;
  readonly customers: Customers;
  readonly products: Products;
  readonly collections: readonly EventfulCollection[];
}
