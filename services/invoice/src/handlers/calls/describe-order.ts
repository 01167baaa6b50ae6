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

/** All finds start in one event-loop turn, so the store answers them with two queries. */
export const describeOrder =
  (deps: Deps): RouteHandler<typeof calls.describeOrder> =>
  async ({ businessid, body: { customerid, itemids, others = [] } }) => {
    const [first, ...rest] = await Promise.all([
      describeOne(deps, { businessid, customerid, itemids }),
      ...others.map((other) => describeOne(deps, other)),
    ]);
    return ok({ data: { ...first, others: rest } });
  };

/** Leaves out what the business does not have, and texts that are not ids. The caller reports them. */
async function describeOne(
  { customers, products }: Deps,
  { businessid, customerid, itemids }: Order,
): Promise<OrderDescription> {
  const parsedid = customerid === null ? null : parseId(customerid);
  const productids = [...new Set(itemids.flatMap((itemid) => parseId(itemid) ?? []))];
  const [found, ...foundProducts] = await Promise.all([
    parsedid && customers.find(businessid, parsedid),
    ...productids.map((itemid) => products.find(businessid, itemid)),
  ]);
  return {
    customer: found ? viewCustomer(found.entity) : null,
    products: foundProducts.flatMap((each) =>
      each ? { _id: each.entity.id, title: each.entity.title } : [],
    ),
  };
}
