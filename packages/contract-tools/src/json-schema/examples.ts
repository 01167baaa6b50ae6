import type { JsonSchema } from "./json-schema.ts";

/** Which of the values that a schema takes. */
export interface ExampleChoice {
  readonly of: "first" | "last";
  /** With what may also be left out. */
  readonly optional: boolean;
}

/** As its contract writes it, where it does. */
export const asDocumented: ExampleChoice = { of: "first", optional: true };

/** A value that the schema takes, put together from its fields' own examples. */
export function buildExample(schema: JsonSchema, choice: ExampleChoice = asDocumented): unknown {
  const isPutTogether = choice !== asDocumented && schema.type === "object";
  if (schema.examples && !isPutTogether) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const chosen = (from: readonly unknown[]) => from.at(choice.of === "first" ? 0 : -1);
  if (schema.enum) return chosen(schema.enum);
  if (schema.anyOf) return buildExample(chosen(schema.anyOf) as JsonSchema, choice);
  switch (schema.type) {
    case "object":
      return objectOf(schema, choice);
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
      return textOf(schema);
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema, choice: ExampleChoice) {
  const given = Object.entries(properties).filter(
    ([name]) => choice.optional || required.includes(name),
  );
  return Object.fromEntries(given.map(([name, schema]) => [name, buildExample(schema, choice)]));
}

const texts = ["text", "123456", "2026-11-03T08:15:30.000Z", "AXm0c1VvZ3JhcGhpZQ0123", "a@b.co"];

/** The first that fits, for what has no example of its own. */
function textOf({ pattern = "", format }: JsonSchema): string | undefined {
  if (format === "date-time") return texts[2];
  const form = new RegExp(pattern, "u");
  return texts.find((text) => form.test(text));
}
