import { z } from "zod";
import { crudRoutes } from "../definition/crud-routes.ts";
import { event } from "../definition/event.ts";
import {
  description,
  objectId,
  price,
  recordTimes,
  searchField,
  title,
} from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";

const fieldDocs = {
  title: { description: "What customers read, in one line.", examples: ["Chai ya maziwa"] },
  price: { description: "Shillings a unit, with at most two decimals.", examples: [250.5] },
  description: {
    description: "More about it, in as many lines as it takes.",
    examples: ["Half a litre, with ginger"],
  },
};

const productView = z.object({
  _id: objectId.meta({ description: "The product's identifier." }),
  title: z.string().meta(fieldDocs.title),
  price: z.number().meta(fieldDocs.price),
  description: z.string().nullable().meta(fieldDocs.description),
  ...recordTimes,
});

export type ProductView = z.infer<typeof productView>;

const { create, list, details, update } = crudRoutes({
  service: "invoice",
  noun: "product",
  plural: "products",
  view: productView,
  query: listQuery({ search: searchField("the title or the description") }),
  draft: z.object({
    title: title.meta(fieldDocs.title),
    price: price.meta(fieldDocs.price),
    description: description.optional().meta(fieldDocs.description),
  }),
  change: z.object({
    title: title.optional().meta(fieldDocs.title),
    price: price.optional().meta(fieldDocs.price),
    description: description.nullable().optional().meta(fieldDocs.description),
  }),
  changeNote: ", null empties the description",
  listRateClass: "product-list",
  detailsRateClass: "product-details",
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
