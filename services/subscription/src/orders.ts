import { type BodyOf, calls, type routes } from "@malipo/contracts";
import { err, type Fault, fault, maxShillings, ok, type Result } from "@malipo/core";
import { ask } from "@malipo/platform";
import type { Deps } from "./deps.ts";
import type { Item } from "./subscription.ts";

type AskedItem = NonNullable<BodyOf<typeof routes.createSubscription>["items"]>[number];

interface Order {
  /** Null when only products are asked for. */
  readonly customerid: string | null;
  readonly items: readonly AskedItem[];
}

const maxCents = maxShillings * 100;

/** What a body names, looked up where it is kept: first the customer, then the products. */
export async function lookUp(
  { service }: Deps,
  businessid: string,
  { customerid, items }: Order,
  deadline: Date,
): Promise<Result<{ customerid: string; items: Item[] }, Fault>> {
  if (sumOf(items) > maxCents) {
    const problem = { path: "items", problem: "come to too large an amount" };
    return err(fault("invalid_request", { text: `items ${problem.problem}`, fields: [problem] }));
  }
  const body = { customerid, itemids: items.map(({ itemid }) => itemid) };
  const asked = await ask(service, calls.describeOrder, { businessid, body, deadline });
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
