import { z } from "zod";
import { event } from "./event.ts";
import { description, objectId, pageQuery, price, timestamp, title } from "./fields.ts";
import { route } from "./route.ts";

const productView = z.object({
  _id: objectId,
  title: z.string(),
  price: z.number(),
  description: z.string().nullable(),
  createdat: timestamp,
  updatedat: timestamp,
});

export type ProductView = z.infer<typeof productView>;

export const productRoutes = {
  createProduct: route({
    audience: "public",
    service: "invoice",
    verb: "create-product",
    method: "POST",
    path: "/business/product/create",
    summary: "Create a product",
    rateClass: "plan",
    body: z.object({ title, price, description: description.optional() }),
    reply: { status: 201, message: "Product created successfully", data: productView },
  }),
  listProducts: route({
    audience: "public",
    service: "invoice",
    verb: "list-products",
    method: "GET",
    path: "/business/product/list",
    summary: "List products, newest first",
    rateClass: "product-list",
    query: pageQuery,
    reply: { status: 200, data: z.array(productView), paging: "meta" },
  }),
  getProduct: route({
    audience: "public",
    service: "invoice",
    verb: "get-product",
    method: "GET",
    path: "/business/product/details/:id",
    summary: "One product",
    rateClass: "product-details",
    params: { id: "product" },
    reply: { status: 200, data: productView },
  }),
} as const;

export const productEvents = {
  "product.created": event({ audience: "internal", data: productView }),
} as const;
