import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import type { z } from "zod";

/** Every entry of a long list can be wrong; the reply names only the first problems. */
const problemsMax = 20;

/** The caller reads a problem as "<path> <problem>", or as a whole sentence from the schema. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, Fault> {
  const parsed = schema.safeParse(value, { error: describe });
  if (parsed.success) return ok(parsed.data);
  const fields = parsed.error.issues.slice(0, problemsMax).map((issue) => ({
    path: issue.path.join("."),
    problem: issue.message,
  }));
  return err(fault("invalid_request", { text: sentenceOf(fields[0]), fields }));
}

function sentenceOf(field: { path: string; problem: string } | undefined): string {
  if (!field) return "Invalid request";
  const isSentence = /^[A-Z]/.test(field.problem);
  return isSentence ? field.problem : `${field.path || "The request body"} ${field.problem}`;
}

type Describe = NonNullable<z.core.ParseContext<z.core.$ZodIssue>["error"]>;

const describe: Describe = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${nounOf(issue.expected)}`;
    case "invalid_value":
      return `must be one of: ${issue.values.join(", ")}`;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "must not be empty"
        : `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      return undefined;
  }
};

const nouns: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function nounOf(expected: string): string {
  return nouns[expected] ?? expected;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  if (origin === "array") return " entries";
  return "";
}
