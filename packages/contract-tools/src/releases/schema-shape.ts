import type { JsonSchema } from "../json-schema/json-schema.ts";

/** Keywords that only document a schema. No program depends on them. */
const documentingKeywords = new Set(["description", "examples", "default"]);

/** Removes the documentation from a schema, so that only its shape is compared. */
export function withoutDocs(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !documentingKeywords.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, withoutDocsIn(keyword, value)]),
  );
}

function withoutDocsIn(keyword: string, value: unknown): unknown {
  if (keyword === "properties") {
    const properties = Object.entries(value as Readonly<Record<string, JsonSchema>>);
    return Object.fromEntries(properties.map(([name, schema]) => [name, withoutDocs(schema)]));
  }
  if (keyword === "anyOf" || keyword === "allOf") return (value as JsonSchema[]).map(withoutDocs);
  const isSchema = keyword === "items" || keyword === "additionalProperties";
  return isSchema && typeof value === "object" ? withoutDocs(value as JsonSchema) : value;
}
