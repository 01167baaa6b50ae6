import type { z } from "zod";
import { asDocumented, type ExampleChoice, buildExample } from "../json-schema/examples.ts";
import { toJsonSchema } from "../json-schema/json-schema.ts";

/** As written, and with everything and with the least, by the first and last of what may be chosen. */
const choices: readonly ExampleChoice[] = [
  asDocumented,
  { of: "first", optional: true },
  { of: "last", optional: true },
  { of: "first", optional: false },
  { of: "last", optional: false },
];

/** Values that the schema takes, from a rich one to a poor one. */
export function buildSamples(
  name: string,
  schema: z.ZodType,
  io: "input" | "output",
  sent: (example: unknown) => unknown = (example) => example,
): unknown[] {
  const written = toJsonSchema(schema, io);
  const tried = choices.map((choice) => sent(buildExample(written, choice)));
  const taken = tried.filter((sample) => schema.safeParse(sample).success);
  const different = new Map(taken.map((sample) => [JSON.stringify(sample), sample]));
  if (different.size > 0) return [...different.values()];
  const { error } = schema.safeParse(tried[0]);
  throw new Error(`No sample of ${name} is taken by its own schema: ${error?.message}`);
}
