import { cents } from "@malipo/core";
import { newestFirstIndex, openRecords, type Records, type Service } from "@malipo/platform";
import type { Product } from "../domain/product.ts";

export type Products = Records<Product>;

export function openProducts(service: Service): Promise<Products> {
  return openRecords<Product>(
    service,
    "products",
    [newestFirstIndex],
    (ids, fields) => ({
      ...ids,
      title: fields["title"],
      price: cents(fields["price"]),
      description: fields["description"],
      createdat: fields["createdat"],
      updatedat: fields["updatedat"],
    }),
    ({ title, description }) => ({ texts: [title, description] }),
  );
}
