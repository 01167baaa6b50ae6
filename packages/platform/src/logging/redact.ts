import { describeError } from "./describe-error.ts";

/** Fields that hold secrets or personal data, at any depth of a log line. */
const redactedNames = new Set([
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
 * The fields of a log line without secrets and personal data. Errors are described, because a
 * database's errors quote values. Objects are copied only where a field is redacted.
 */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  return redactValue(fields, depthMax) as Record<string, unknown>;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value);
  // Dates and ids write themselves; they have no fields to redact.
  if ("toJSON" in value) return value;
  if (depth === 0) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth - 1));
  let copy: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(value)) {
    const shown = redactedNames.has(name.toLowerCase())
      ? "[redacted]"
      : redactValue(field, depth - 1);
    if (shown === field) continue;
    copy ??= { ...value };
    copy[name] = shown;
  }
  return copy ?? value;
}
