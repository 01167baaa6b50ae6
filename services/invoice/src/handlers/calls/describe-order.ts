import type { calls, OrderDescription } from "@malipo/contracts";
import { ok, parseId } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewCustomer } from "../../domain/customer.ts";
import type { Deps } from "../../deps.ts";

interface Order {
  readonly businessid: string;
  readonly customerid: string | null;
  readonly itemids: readonly string[];
}

/** All that is named is found in one turn, and so with one query of customers and one of products. */
export const describeOrder =
  (deps: Deps): RouteHandler<typeof calls.describeOrder> =>
  async ({ businessid, body: { customerid, itemids, others = [] } }) => {
    const [first, ...rest] = await Promise.all([
      describe(deps, { businessid, customerid, itemids }),
      ...others.map((other) => describe(deps, other)),
    ]);
    return ok({ data: { ...first, others: rest } });
  };

/** What is missing, whoever asks will miss; what is named need not even be an id. */
async function describe(
  { customers, products }: Deps,
  { businessid, customerid, itemids }: Order,
): Promise<OrderDescription> {
  const customer = customerid === null ? null : parseId(customerid);
  const named = [...new Set(itemids.flatMap((itemid) => parseId(itemid) ?? []))];
  const [found, ...foundProducts] = await Promise.all([
    customer && customers.find(businessid, customer),
    ...named.map((itemid) => products.find(businessid, itemid)),
  ]);
  return {
    customer: found ? viewCustomer(found.entity) : null,
    products: foundProducts.flatMap((each) =>
      each ? { _id: each.entity.id, title: each.entity.title } : [],
    ),
  };
}
