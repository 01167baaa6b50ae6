import type { UsedSystem } from "@malipo/testing";
import { copy, created, pageSize, type Paths, wide } from "./copies.ts";

const itemsMax = 200;

/** What invoices and subscriptions are made of. */
export interface Order {
  readonly customerid: string;
  readonly taxid: string;
  readonly itemid: string;
}

/** As many lines as an order may have. An invoice calls their text a name, a subscription a title. */
export function linesOf({ itemid }: Order, texts: { name?: string; title?: string }) {
  const line = { itemid, quantity: 1_000, rate: 99_999.99, ...texts };
  return Array.from({ length: itemsMax }, () => line);
}

export async function createCatalogue(
  system: UsedSystem,
): Promise<{ readonly order: Order; readonly paths: Paths }> {
  const create = async (noun: string, body: object) =>
    String((await created(system.api("POST", `/business/${noun}/create`, body)))["_id"]);
  const itemid = await create("product", {
    title: wide(200),
    description: wide(2_000),
    price: 999_999_999.99,
  });
  const taxid = await create("tax", { title: wide(200), rate: 99.99 });
  const customerid = await create("customer", {
    name: wide(200),
    email: `${"a".repeat(64)}@${"b.".repeat(85)}example.com`,
    phone: "254712345678",
  });
  await copy(system, ["invoice", "products"], itemid);
  await copy(system, ["invoice", "taxes"], taxid);
  await copy(system, ["invoice", "customers"], customerid);
  return {
    order: { customerid, taxid, itemid },
    paths: {
      listProducts: `/business/product/list?limit=${pageSize}`,
      getProduct: `/business/product/details/${itemid}`,
      listTaxes: `/business/tax/list?limit=${pageSize}`,
      getTax: `/business/tax/details/${taxid}`,
      listCustomers: `/business/customer/list?limit=${pageSize}`,
      getCustomer: `/business/customer/details/${customerid}`,
    },
  };
}
