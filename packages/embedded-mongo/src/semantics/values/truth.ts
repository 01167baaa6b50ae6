import { isNumber, toDouble } from "./numbers/numbers.ts";

/** Truth in MongoDB: false, zero, null and missing are false. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return toDouble(value) !== 0;
  return value !== null && value !== undefined;
}
