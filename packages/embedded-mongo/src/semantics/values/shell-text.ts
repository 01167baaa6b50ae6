import { Binary, Double } from "bson";
import { type Document, fieldName } from "./document.ts";
import { typeName } from "./types.ts";

const textMax = 500;

/** Formats a value as in MongoDB's messages. */
export function shellText(value: unknown): string {
  const text = print(value);
  return text.length > textMax ? `${text.slice(0, textMax)}...` : text;
}

function print(value: unknown): string {
  switch (typeName(value)) {
    case "string":
      return JSON.stringify(value);
    case "null":
    case "missing":
      return "null";
    case "objectId":
      return `ObjectId('${String(value)}')`;
    case "date":
      return `new Date(${(value as Date).getTime()})`;
    case "double":
      return doubleText(value instanceof Double ? value.value : Number(value));
    case "binData":
      return value instanceof Binary
        ? `BinData(${value.sub_type}, ${Buffer.from(value.value()).toString("hex").toUpperCase()})`
        : "BinData(0, ...)";
    case "array":
      return `[ ${(value as unknown[]).map(print).join(", ")} ]`;
    case "object":
      return printDocument(value as Document);
    default:
      return String(value);
  }
}

function printDocument(document: Document): string {
  const fields = Object.keys(document).map((key) => `${fieldName(key)}: ${print(document[key])}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function doubleText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? `${value}.0` : String(value);
}
