import { z } from "zod";
import { event } from "./event.ts";
import { description, objectId, pageQuery, price, recordTimes, title } from "./fields.ts";
import { route } from "./route.ts";

const its = {
  title: { description: "What customers read, in one line.", examples: ["Chai ya maziwa"] },
  price: { description: "Shillings a unit, with at most two decimals.", examples: [250.5] },
  description: {
    description: "More about it, in as many lines as it takes.",
    examples: ["Half a litre, with ginger"],
  },
};

const productView = z.object({
  _id: objectId.meta({ description: "The product's identifier." }),
  title: z.string().meta(its.title),
  price: z.number().meta(its.price),
  description: z.string().nullable().meta(its.description),
  ...recordTimes,
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
    body: z.object({
      title: title.meta(its.title),
      price: price.meta(its.price),
      description: description.optional().meta(its.description),
    }),
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
