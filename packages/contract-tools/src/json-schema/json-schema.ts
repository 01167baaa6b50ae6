import { z } from "zod";

/** The part of JSON Schema that Zod writes for our contracts. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** Converts a schema as the caller sends it (`input`) or receives it (`output`). */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: written }) => {
      // A `format` replaces its pattern. A query parameter that means a number is shown as a number.
      if (written.format !== undefined || written.type !== "string") delete written.pattern;
      // Zod drops these if a value is transformed on input. Ours describe the value as it is sent.
      const { examples, default: fallback } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) written.examples = examples;
      if (typeof fallback === "number") written.default = fallback;
    },
  });
  return rest as JsonSchema;
}
