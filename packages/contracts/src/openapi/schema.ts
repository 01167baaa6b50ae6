import { z } from "zod";
import { paging } from "../fields.ts";
import { nothing, type Route } from "../route.ts";
import type { JsonSchema } from "./types.ts";

export function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: written }) => {
      // A format says it better; and a query's text that stands for a number is shown as the number.
      if (written.format !== undefined || written.type !== "string") delete written.pattern;
      // The library drops these where a value is transformed on its way in; ours are as sent.
      const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) written.examples = examples;
      if (typeof fallback === "number") written.default = fallback;
    },
  });
  return rest as JsonSchema;
}

export function successSchema({ reply }: Route): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    success: { type: "boolean", const: true },
    ...(reply.message !== undefined && { message: { type: "string", const: reply.message } }),
    ...(reply.data !== nothing && { data: jsonSchema(reply.data, "output") }),
    ...(reply.paging && { [reply.paging]: jsonSchema(reply.pagingShape ?? paging, "output") }),
  };
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** A value that the schema takes, put together from its fields' own examples. */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first) return exampleOf(first);
  switch (schema.type) {
    case "object":
      return mapValues(schema.properties ?? {}, exampleOf);
    case "array":
      return schema.items ? [exampleOf(schema.items)] : [];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    default:
      return "text";
  }
}

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
