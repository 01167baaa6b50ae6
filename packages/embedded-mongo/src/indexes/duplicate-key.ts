import type { Buffer } from "node:buffer";
import type { Document } from "../document-codec.ts";
import { decodeValue } from "../document-codec.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { MongoError } from "../errors.ts";
import { keyPattern } from "./definition.ts";
import type { IndexDefinition } from "./definition.ts";
import { valuesOfKey } from "./key-extraction.ts";
import { fieldKey, shellText } from "../semantics/index.ts";

/** The error E11000 with the index and the duplicate values. */
export function duplicateKey(
  namespace: string,
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
  key: Buffer,
): MongoError {
  const keyValue: Document = {};
  for (const [i, value] of valuesOfKey(index, top, key).entries()) {
    const field = index.fields[i]!;
    keyValue[fieldKey(field.path)] = typeof value === "object" ? decodeValue(value) : null;
  }
  return new MongoError(
    "DuplicateKey",
    `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: ${shellText(keyValue)}`,
    { keyPattern: keyPattern(index), keyValue },
  );
}
