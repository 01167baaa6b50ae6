import type { calls } from "@malipo/contracts";
import { ok, parseId } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewCustomer } from "../customer.ts";
import type { Deps } from "../deps.ts";

/** What is missing, whoever asks will miss; what is named need not even be an id. */
export const handle =
  ({ customers, products }: Deps): RouteHandler<typeof calls.describeOrder> =>
  async ({ businessid, body: { customerid, itemids } }) => {
    const customer = customerid === null ? null : parseId(customerid);
    const named = [...new Set(itemids.flatMap((itemid) => parseId(itemid) ?? []))];
    const [found, ...foundProducts] = await Promise.all([
      customer && customers.find(businessid, customer),
      ...named.map(async (itemid) => products.find(businessid, itemid)),
    ]);
    return ok({
      data: {
        customer: found ? viewCustomer(found.entity) : null,
        products: foundProducts.flatMap((each) =>
          each ? { _id: each.entity.id, title: each.entity.title } : [],
        ),
      },
    });
  };
