import { type BodyOf, calls, type routes } from "@malipo/contracts";
import { err, type Fault, fault, maxCents, ok, type Result } from "@malipo/core";
import { callService } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import type { Item } from "../domain/item.ts";

type RequestedItem = NonNullable<BodyOf<typeof routes.createSubscription>["items"]>[number];

interface Order {
  /** Null if the order names only products. */
  readonly customerid: string | null;
  readonly items: readonly RequestedItem[];
}

/** Asks the invoice service for the customer and the products of a request. Both must exist. */
export async function resolveOrder(
  { service }: Pick<Deps, "service">,
  businessid: string,
  { customerid, items }: Order,
  deadline: Date,
): Promise<Result<{ customerid: string; items: Item[] }, Fault>> {
  if (sumOf(items) > maxCents) {
    const problem = { path: "items", problem: "come to too large an amount" };
    return err(fault("invalid_request", { text: `items ${problem.problem}`, fields: [problem] }));
  }
  const body = { customerid, itemids: items.map(({ itemid }) => itemid) };
  const described = await callService(service, calls.describeOrder, { businessid, body, deadline });
  if (!described.ok) return described;
  const { customer, products } = described.value;
  if (customerid !== null && !customer) {
    return err(fault("not_found", { text: "Customer not found" }));
  }
  const byId = new Map(products.map((product) => [product._id, product]));
  const resolved: Item[] = [];
  for (const { itemid, quantity, rate, title } of items) {
    const product = byId.get(itemid.toLowerCase());
    if (!product) return err(fault("not_found", { text: `product not found: ${itemid}` }));
    resolved.push({ itemid: product._id, title: title ?? product.title, quantity, rate });
  }
  return ok({ customerid: customer?._id ?? "", items: resolved });
}

/** A plain number, because the sum may be larger than an amount can be. */
function sumOf(items: readonly RequestedItem[]): number {
  return items.reduce((sum, { rate, quantity }) => sum + rate * quantity, 0);
}
