import { Buffer } from "node:buffer";
import { decode, encode } from "./semantics/values/codec/codec.ts";
import { asBuffer, bsonType } from "./bson/raw-document.ts";
import type { RawValue } from "./bson/raw-document.ts";

export type Document = { [field: string]: unknown };

export function decodeDocument(bytes: Uint8Array): Document {
  return decode(bytes);
}

export function encodeDocument(document: Document): Buffer {
  return asBuffer(encode(document));
}

/** Decodes a single value. */
export function decodeValue(value: RawValue): unknown {
  if (value.type === bsonType.object) {
    return decodeDocument(value.bytes.subarray(value.start, value.end));
  }
  const length = value.end - value.start;
  const wrapped = Buffer.allocUnsafe(length + 7);
  wrapped.writeInt32LE(length + 7, 0);
  wrapped[4] = value.type;
  wrapped[5] = 0;
  value.bytes.copy(wrapped, 6, value.start, value.end);
  wrapped[length + 6] = 0;
  return decodeDocument(wrapped)[""];
}

/** Encodes a single value. */
export function rawValueOf(value: unknown): RawValue {
  const bytes = encodeDocument({ "": value });
  return { bytes, type: bytes[4]!, start: 6, end: bytes.length - 1 };
}
