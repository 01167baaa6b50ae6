import { type DeserializeOptions, deserialize, serialize, type SerializeOptions } from "bson";
import { MongoError } from "../../../errors.ts";
import { decodeDocument } from "./decode.ts";
import { type Document, fieldName, isDocument } from "../document.ts";

/** Options of the bson library for the rare types that `decode` leaves to it. */
const bsonOptions = {
  promoteValues: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const satisfies DeserializeOptions & SerializeOptions;

/**
 * Decodes a document and keeps all types and the order of all fields: `encode(decode(bytes))` gives
 * the same bytes. See `document.ts` and `numbers/numbers.ts` for the form in memory.
 */
export function decode(bytes: Uint8Array): Document {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decodeDocument(buffer, decodeRareValue);
}

/** Wraps one raw element in a document, so that the bson library can decode it. */
function decodeRareValue(type: number, raw: Uint8Array): unknown {
  const wrapped = Buffer.alloc(raw.length + 8);
  wrapped.writeInt32LE(wrapped.length, 0);
  wrapped[4] = type;
  wrapped[5] = 0x76;
  wrapped.set(raw, 7);
  try {
    return deserialize(wrapped, bsonOptions)["v"] as unknown;
  } catch (error) {
    throw new MongoError("InvalidBSON", `invalid BSON value: ${(error as Error).message}`);
  }
}

/** Encodes a document. Fields that are `undefined` are missing and are left out. */
export function encode(document: Document): Uint8Array {
  try {
    return serialize(document, { ignoreUndefined: true });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new MongoError("BSONObjectTooLarge", "the document is larger than 17825792 bytes");
    }
    // The library refuses NUL in names, which marks renamed fields (see `fieldKey`).
    if (!hasRenamedField(document)) {
      throw new MongoError("InvalidBSON", `cannot write document: ${(error as Error).message}`);
    }
    return serialize(withOriginalNames(document) as Document, { ignoreUndefined: true });
  }
}

function hasRenamedField(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasRenamedField);
  if (!isDocument(value)) return false;
  return Object.keys(value).some((key) => key.charCodeAt(0) === 0 || hasRenamedField(value[key]));
}

/**
 * Converts documents to `Map`s. The library encodes the entries of a `Map` in order, with any name.
 */
function withOriginalNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOriginalNames);
  if (!isDocument(value)) return value;
  return new Map(
    Object.keys(value).map((key) => [fieldName(key), withOriginalNames(value[key])] as const),
  );
}
