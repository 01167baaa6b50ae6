import type { routes } from "@malipo/contracts";
import { createListHandler, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewCustomer } from "../../domain/customer.ts";

export const listCustomers = ({ customers }: Deps): RouteHandler<typeof routes.listCustomers> =>
  createListHandler(customers, viewCustomer);
