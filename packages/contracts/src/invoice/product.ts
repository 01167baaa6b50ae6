import { z } from "zod";
import { usualRoutes } from "../definition/crud-routes.ts";
import { event } from "../definition/event.ts";
import { description, objectId, price, recordTimes, search, title } from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";

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

const { create, list, details, update } = usualRoutes({
  service: "invoice",
  noun: "product",
  plural: "products",
  view: productView,
  query: listQuery({ search: search("the title or the description") }),
  draft: z.object({
    title: title.meta(its.title),
    price: price.meta(its.price),
    description: description.optional().meta(its.description),
  }),
  change: z.object({
    title: title.optional().meta(its.title),
    price: price.optional().meta(its.price),
    description: description.nullable().optional().meta(its.description),
  }),
  changeNote: ", null empties the description",
  listClass: "product-list",
  detailsClass: "product-details",
});

export const productRoutes = {
  createProduct: create,
  listProducts: list,
  getProduct: details,
  updateProduct: update,
} as const;

export const productEvents = {
  "product.created": event({ audience: "internal", data: productView }),
  "product.updated": event({ audience: "internal", data: productView }),
} as const;
