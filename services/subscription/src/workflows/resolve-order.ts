import type { BodyOf, routes } from "@malipo/contracts";
import { err, type Fault, fault, maxCents, ok, type Result } from "@malipo/core";
import type { Deps } from "../deps.ts";
import type { Item } from "../domain/lifecycle/subscription.ts";

type AskedItem = NonNullable<BodyOf<typeof routes.createSubscription>["items"]>[number];

interface Order {
  /** Null when only products are asked for. */
  readonly customerid: string | null;
  readonly items: readonly AskedItem[];
}

/** What a body names, looked up where it is kept: first the customer, then the products. */
export async function lookUp(
  { describeOrder }: Deps,
  businessid: string,
  { customerid, items }: Order,
  deadline: Date,
): Promise<Result<{ customerid: string; items: Item[] }, Fault>> {
  if (sumOf(items) > maxCents) {
    const problem = { path: "items", problem: "come to too large an amount" };
    return err(fault("invalid_request", { text: `items ${problem.problem}`, fields: [problem] }));
  }
  const itemids = items.map(({ itemid }) => itemid);
  const asked = await describeOrder({ businessid, customerid, itemids, deadline });
  if (!asked.ok) return asked;
  const { customer, products } = asked.value;
  if (customerid !== null && !customer) {
    return err(fault("not_found", { text: "Customer not found" }));
  }
  const byId = new Map(products.map((product) => [product._id, product]));
  const found: Item[] = [];
  for (const { itemid, quantity, rate, title } of items) {
    const product = byId.get(itemid.toLowerCase());
    if (!product) return err(fault("not_found", { text: `product not found: ${itemid}` }));
    found.push({ itemid: product._id, title: title ?? product.title, quantity, rate });
  }
  return ok({ customerid: customer?._id ?? "", items: found });
}

/** As a plain number: it may be more than money can be. */
function sumOf(items: readonly AskedItem[]): number {
  return items.reduce((sum, { rate, quantity }) => sum + rate * quantity, 0);
}
