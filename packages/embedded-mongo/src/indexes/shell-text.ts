import { Binary, Decimal128, Double, Int32, Long, ObjectId } from "bson";

/** A value as MongoDB's messages print it. */
export function shellText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return String(value);
  if (value instanceof Int32 || value instanceof Long) return value.toString();
  if (value instanceof Double) return doubleText(value.valueOf());
  if (value instanceof Decimal128) return value.toString();
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Binary) {
    return `BinData(${value.sub_type}, ${Buffer.from(value.value()).toString("hex").toUpperCase()})`;
  }
  if (Array.isArray(value)) return `[ ${value.map(shellText).join(", ")} ]`;
  const fields = Object.entries(value as object);
  if (fields.length === 0) return "{}";
  return `{ ${fields.map(([name, field]) => `${name}: ${shellText(field)}`).join(", ")} }`;
}

function doubleText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? `${value}.0` : String(value);
}
