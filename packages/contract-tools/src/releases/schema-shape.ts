import type { JsonSchema } from "../json-schema/json-schema.ts";

/** Nobody's program depends on these. */
const words = new Set(["description", "examples", "default"]);

/** A schema without what only explains it. */
export function withoutDocs(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !words.has(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, shapeIn(keyword, value)]));
}

function shapeIn(keyword: string, value: unknown): unknown {
  if (keyword === "properties") {
    const properties = Object.entries(value as Readonly<Record<string, JsonSchema>>);
    return Object.fromEntries(properties.map(([name, schema]) => [name, withoutDocs(schema)]));
  }
  if (keyword === "anyOf" || keyword === "allOf") return (value as JsonSchema[]).map(withoutDocs);
  const isSchema = keyword === "items" || keyword === "additionalProperties";
  return isSchema && typeof value === "object" ? withoutDocs(value as JsonSchema) : value;
}
