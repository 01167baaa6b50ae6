import { Double, Int32, Long, Timestamp } from "bson";

/** A decoded number of any type except decimal as a JavaScript number, otherwise undefined. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Int32 || value instanceof Double) return value.valueOf();
  // A Timestamp is a subclass of Long, but not a number.
  if (value instanceof Timestamp) return undefined;
  return value instanceof Long ? value.toNumber() : undefined;
}
