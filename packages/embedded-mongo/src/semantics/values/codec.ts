import { type DeserializeOptions, deserialize, serialize, type SerializeOptions } from "bson";
import { MongoError } from "../../errors.ts";
import { decodeDocument } from "./decode.ts";
import { type Document, fieldName, isDocument } from "./document.ts";

/** How the bson library reads the rare types that `decode` leaves to it. */
const bsonOptions = {
  promoteValues: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const satisfies DeserializeOptions & SerializeOptions;

/**
 * Reads a document with every type and the order of every field kept: `encode(decode(bytes))` gives
 * the same bytes. See `document.ts` and `numbers.ts` for the form in memory.
 */
export function decode(bytes: Uint8Array): Document {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decodeDocument(buffer, decodeRareValue);
}

/** Wraps one raw element into a document of its own, for the library to read. */
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

/** Writes a document as BSON. Fields that are `undefined` are missing, so they are left out. */
export function encode(document: Document): Uint8Array {
  try {
    return serialize(document, { ignoreUndefined: true });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new MongoError("BSONObjectTooLarge", "the document is larger than 17825792 bytes");
    }
    // The library refuses NUL in names, and that is how renamed fields are marked (see `fieldKey`).
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

/** The library writes a `Map` in its own order and under its own names, whatever they look like. */
function withOriginalNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOriginalNames);
  if (!isDocument(value)) return value;
  return new Map(
    Object.keys(value).map((key) => [fieldName(key), withOriginalNames(value[key])] as const),
  );
}
