import type { routes } from "@malipo/contracts";
import { type RouteHandler, showRecord } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { viewCustomer } from "../customer.ts";

export const handle = ({ customers }: Deps): RouteHandler<typeof routes.getCustomer> =>
  showRecord(customers, "customer", viewCustomer);
