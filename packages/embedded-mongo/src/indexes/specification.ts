import { Double, Int32, Long, Timestamp } from "bson";
import type { Document } from "../bson/values.ts";
import { fieldName } from "../semantics/index.ts";
import { indexField } from "./definition.ts";
import type { IndexDefinition } from "./definition.ts";

export const idSpecification: Document = { v: 2, key: { _id: 1 }, name: "_id_" };

/** A number of any type, or undefined. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Int32 || value instanceof Double) return value.valueOf();
  // A Timestamp is a Long by class, but no number.
  if (value instanceof Timestamp) return undefined;
  return value instanceof Long ? value.toNumber() : undefined;
}

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
