import type { z } from "zod";
import { asDocumented, type ExampleChoice, buildExample } from "../json-schema/examples.ts";
import { toJsonSchema } from "../json-schema/json-schema.ts";

/** The documented example, then all and no optional fields, each with the first and the last option. */
const choices: readonly ExampleChoice[] = [
  asDocumented,
  { pick: "first", hasOptionalFields: true },
  { pick: "last", hasOptionalFields: true },
  { pick: "first", hasOptionalFields: false },
  { pick: "last", hasOptionalFields: false },
];

/**
 * Builds different values that the schema accepts, from the fullest to the smallest. `toSent` converts
 * an example to the form that is sent.
 */
export function buildSamples(
  name: string,
  schema: z.ZodType,
  io: "input" | "output",
  toSent: (example: unknown) => unknown = (example) => example,
): unknown[] {
  const documented = toJsonSchema(schema, io);
  const candidates = choices.map((choice) => toSent(buildExample(documented, choice)));
  const accepted = candidates.filter((sample) => schema.safeParse(sample).success);
  const different = new Map(accepted.map((sample) => [JSON.stringify(sample), sample]));
  if (different.size > 0) return [...different.values()];
  const { error } = schema.safeParse(candidates[0]);
  throw new Error(`No sample of ${name} matches its own schema: ${error?.message}`);
}
