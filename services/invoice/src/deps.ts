import type { BusinessViews, EventfulCollection, Service } from "@malipo/platform";
import type { Customers } from "./customers.ts";
import type { Products } from "./products.ts";
import type { Taxes } from "./taxes.ts";

/** What handlers work with. */
export interface Deps {
  readonly service: Service;
  readonly businesses: BusinessViews;
  readonly customers: Customers;
  readonly products: Products;
  readonly taxes: Taxes;
  readonly collections: readonly EventfulCollection[];
}
