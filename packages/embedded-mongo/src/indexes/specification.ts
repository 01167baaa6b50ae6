import { numberOf } from "../bson/number-of.ts";
import type { Document } from "../document-codec.ts";
import { fieldName } from "../semantics/index.ts";
import { indexField } from "./definition.ts";
import type { IndexDefinition } from "./definition.ts";

export const idSpecification: Document = { v: 2, key: { _id: 1 }, name: "_id_" };

export function definitionOf(id: number, specification: Document): IndexDefinition {
  const key = specification["key"] as Document;
  const name = String(specification["name"]);
  const partialFilter = specification["partialFilterExpression"] as Document | undefined;
  return {
    id,
    name,
    fields: Object.entries(key).map(([name, direction]) =>
      indexField(fieldName(name), (numberOf(direction) ?? 1) < 0),
    ),
    unique: specification["unique"] === true || name === "_id_",
    sparse: specification["sparse"] === true,
    partialFilter,
    ttlSeconds: numberOf(specification["expireAfterSeconds"]),
    specification,
  };
}
