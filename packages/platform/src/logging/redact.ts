import { describeError } from "./describe-error.ts";

/** Field names that carry secrets or a customer's data, wherever they turn up in a log line. */
const concealedNames = new Set([
  "authorization",
  "secret",
  "token",
  "password",
  "phone",
  "email",
  "body",
]);
const depthMax = 6;

/**
 * The fields of a log line without what nobody may read there. Errors are described, for a
 * database's errors quote values. Nothing is copied while there is nothing to conceal.
 */
export function conceal(fields: Record<string, unknown>): Record<string, unknown> {
  return concealIn(fields, depthMax) as Record<string, unknown>;
}

function concealIn(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value);
  // What knows how to write itself, as a moment or an id does, holds no fields.
  if ("toJSON" in value) return value;
  if (depth === 0) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => concealIn(item, depth - 1));
  let copy: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(value)) {
    const shown = concealedNames.has(name.toLowerCase())
      ? "[concealed]"
      : concealIn(field, depth - 1);
    if (shown === field) continue;
    copy ??= { ...value };
    copy[name] = shown;
  }
  return copy ?? value;
}
