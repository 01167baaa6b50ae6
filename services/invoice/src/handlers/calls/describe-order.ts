import type { calls, OrderDescription } from "@malipo/contracts";
import { ok, parseId } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewCustomer } from "../../domain/customer.ts";
import type { Deps } from "../../deps.ts";

/**
 * Leaves out what does not exist; the caller reports that. A reference need not be a valid id.
 * Orders of several requests that arrive together share one query of customers and one of products.
 */
export const describeOrder =
  ({ customers, products }: Deps): RouteHandler<typeof calls.describeOrder> =>
  async ({ businessid, body: { customerid, itemids } }) => {
    const customer = customerid === null ? null : parseId(customerid);
    const productids = [...new Set(itemids.flatMap((itemid) => parseId(itemid) ?? []))];
    const [found, ...foundProducts] = await Promise.all([
      customer && customers.find(businessid, customer),
      ...productids.map((itemid) => products.find(businessid, itemid)),
    ]);
    const description: OrderDescription = {
      customer: found ? viewCustomer(found.entity) : null,
      products: foundProducts.flatMap((each) =>
        each ? { _id: each.entity.id, title: each.entity.title } : [],
      ),
    };
    return ok({ data: description });
  };
