import type { routes } from "@malipo/contracts";
import { err, centsToShillings, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewCustomer } from "../../domain/customer.ts";
import type { Deps } from "../../deps.ts";

export const getCustomer =
  ({ customers, credits }: Deps): RouteHandler<typeof routes.getCustomer> =>
  async ({ businessid, params }) => {
    const customerid = params.id.toLowerCase();
    const [found, credit] = await Promise.all([
      customers.find(businessid, customerid),
      credits.sumUnspent({ businessid, customerid }),
    ]);
    if (!found) return err(notFound("customer"));
    return ok({ data: { ...viewCustomer(found.entity), credit: centsToShillings(credit) } });
  };
