import type { JsonSchema } from "./json-schema.ts";

/** Selects one of the values that a schema accepts. */
export interface ExampleChoice {
  /** Which enum value or union option is taken. */
  readonly pick: "first" | "last";
  readonly hasOptionalFields: boolean;
}

/** The example that the contract documents, if it has one. */
export const asDocumented: ExampleChoice = { pick: "first", hasOptionalFields: true };

/** Builds a value that the schema accepts from the examples of its fields. */
export function buildExample(schema: JsonSchema, choice: ExampleChoice = asDocumented): unknown {
  const isAssembled = choice !== asDocumented && schema.type === "object";
  if (schema.examples && !isAssembled) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const pickFrom = (from: readonly unknown[]) => from.at(choice.pick === "first" ? 0 : -1);
  if (schema.enum) return pickFrom(schema.enum);
  if (schema.anyOf) return buildExample(pickFrom(schema.anyOf) as JsonSchema, choice);
  switch (schema.type) {
    case "object":
      return buildObject(schema, choice);
    case "array":
      return schema.items ? [buildExample(schema.items, choice)] : [];
    case "boolean":
      return true;
    case "null":
      return null;
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    default:
      return findText(schema);
  }
}

function buildObject({ properties = {}, required = [] }: JsonSchema, choice: ExampleChoice) {
  const fields = Object.entries(properties).filter(
    ([name]) => choice.hasOptionalFields || required.includes(name),
  );
  return Object.fromEntries(fields.map(([name, schema]) => [name, buildExample(schema, choice)]));
}

/** Candidates for a string that has no example. */
const texts = ["text", "123456", "2026-11-03T08:15:30.000Z", "AXm0c1VvZ3JhcGhpZQ0123", "a@b.co"];

function findText({ pattern = "", format }: JsonSchema): string | undefined {
  if (format === "date-time") return texts[2];
  const expression = new RegExp(pattern, "u");
  return texts.find((text) => expression.test(text));
}
