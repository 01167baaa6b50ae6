import { Buffer } from "node:buffer";
import { limits } from "../limits.ts";
import { MongoError } from "../errors.ts";

export const bsonType = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal128: 0x13,
  minKey: 0xff,
  maxKey: 0x7f,
} as const;

/** MongoDB's alias of each type, for error messages. */
export const bsonTypeName: Readonly<Record<number, string>> = {
  [bsonType.double]: "double",
  [bsonType.string]: "string",
  [bsonType.object]: "object",
  [bsonType.array]: "array",
  [bsonType.binary]: "binData",
  [bsonType.undefined]: "undefined",
  [bsonType.objectId]: "objectId",
  [bsonType.boolean]: "bool",
  [bsonType.date]: "date",
  [bsonType.null]: "null",
  [bsonType.regex]: "regex",
  [bsonType.dbPointer]: "dbPointer",
  [bsonType.code]: "javascript",
  [bsonType.symbol]: "symbol",
  [bsonType.codeWithScope]: "javascriptWithScope",
  [bsonType.int32]: "int",
  [bsonType.timestamp]: "timestamp",
  [bsonType.int64]: "long",
  [bsonType.decimal128]: "decimal",
  [bsonType.minKey]: "minKey",
  [bsonType.maxKey]: "maxKey",
};

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The position of a value in a buffer. `end` is the first byte after it. */
export type RawValue = {
  readonly bytes: Buffer;
  readonly type: number;
  readonly start: number;
  readonly end: number;
};

function malformed(why: string): MongoError {
  return new MongoError("InvalidBSON", `invalid BSON: ${why}`);
}

function cstringEnd(bytes: Buffer, from: number, end: number): number {
  const at = bytes.indexOf(0, from);
  if (at < 0 || at >= end) throw malformed("a name without an end");
  return at;
}

function lengthAt(bytes: Buffer, at: number, end: number): number {
  if (at + 4 > end) throw malformed("a length outside its document");
  return bytes.readInt32LE(at);
}

/** The first byte after the value of `type` that begins at `start`. */
function valueEnd(bytes: Buffer, type: number, start: number, end: number): number {
  const size = fixedSize[type];
  if (size !== undefined) return start + size;
  switch (type) {
    case bsonType.string:
    case bsonType.code:
    case bsonType.symbol: {
      const length = lengthAt(bytes, start, end);
      if (length < 1) throw malformed("a string of negative length");
      return start + 4 + length;
    }
    case bsonType.object:
    case bsonType.array:
    case bsonType.codeWithScope: {
      const length = lengthAt(bytes, start, end);
      if (length < 5) throw malformed("a document shorter than its frame");
      return start + length;
    }
    case bsonType.binary: {
      const length = lengthAt(bytes, start, end);
      if (length < 0) throw malformed("binary data of negative length");
      return start + 5 + length;
    }
    case bsonType.regex:
      return cstringEnd(bytes, cstringEnd(bytes, start, end) + 1, end) + 1;
    case bsonType.dbPointer:
      return start + 4 + lengthAt(bytes, start, end) + 12;
    default:
      throw malformed(`unknown type 0x${type.toString(16)}`);
  }
}

const fixedSize: Readonly<Record<number, number>> = {
  [bsonType.double]: 8,
  [bsonType.undefined]: 0,
  [bsonType.objectId]: 12,
  [bsonType.boolean]: 1,
  [bsonType.date]: 8,
  [bsonType.null]: 0,
  [bsonType.int32]: 4,
  [bsonType.timestamp]: 8,
  [bsonType.int64]: 8,
  [bsonType.decimal128]: 16,
  [bsonType.minKey]: 0,
  [bsonType.maxKey]: 0,
};

/** Walks the elements of one document, without recursion and without copying. */
export class ElementCursor {
  readonly bytes: Buffer;
  readonly last: number;
  type = 0;
  nameStart = 0;
  nameEnd = 0;
  start = 0;
  end: number;

  constructor(bytes: Buffer, documentStart = 0, limit = bytes.length) {
    this.bytes = bytes;
    const length = lengthAt(bytes, documentStart, limit);
    if (length < 5 || documentStart + length > limit) throw malformed("a wrong document length");
    this.last = documentStart + length - 1;
    if (bytes[this.last] !== 0) throw malformed("a document without an end");
    this.end = documentStart + 4;
  }

  next(): boolean {
    const at = this.end;
    if (at >= this.last) {
      if (at > this.last) throw malformed("an element beyond its document");
      return false;
    }
    const bytes = this.bytes;
    this.type = bytes[at]!;
    if (this.type === 0) throw malformed("a document that ends early");
    this.nameStart = at + 1;
    let nameEnd = at + 1;
    while (nameEnd < this.last && bytes[nameEnd] !== 0) nameEnd++;
    if (nameEnd >= this.last) throw malformed("a name without an end");
    this.nameEnd = nameEnd;
    this.start = nameEnd + 1;
    const end = valueEnd(bytes, this.type, this.start, this.last);
    if (end > this.last) throw malformed("a value beyond its document");
    this.end = end;
    return true;
  }

  get name(): string {
    return this.bytes.toString("utf8", this.nameStart, this.nameEnd);
  }

  get value(): RawValue {
    return { bytes: this.bytes, type: this.type, start: this.start, end: this.end };
  }
}

/**
 * Throws unless all lengths, types and terminators are valid and the nesting is within its limit.
 */
export function validateDocument(
  bytes: Buffer,
  start = 0,
  limit = bytes.length,
  depth: number = limits.nestingMax,
): void {
  if (depth === 0) {
    throw new MongoError("Overflow", `document is nested deeper than ${limits.nestingMax} levels`);
  }
  const cursor = new ElementCursor(bytes, start, limit);
  while (cursor.next()) {
    switch (cursor.type) {
      case bsonType.object:
      case bsonType.array:
        validateDocument(bytes, cursor.start, cursor.end, depth - 1);
        break;
      case bsonType.string:
      case bsonType.code:
      case bsonType.symbol:
        if (bytes[cursor.end - 1] !== 0) throw malformed("a string without an end");
        break;
      case bsonType.codeWithScope:
        validateCodeWithScope(bytes, cursor.start, cursor.end, depth - 1);
        break;
      case bsonType.boolean:
        if (bytes[cursor.start]! > 1) throw malformed("a boolean that is neither 0 nor 1");
        break;
      case bsonType.dbPointer:
      case bsonType.undefined:
        throw malformed(`type ${bsonTypeName[cursor.type]} is deprecated and not supported`);
      default:
        break;
    }
  }
}

function validateCodeWithScope(bytes: Buffer, start: number, end: number, depth: number): void {
  const codeLength = lengthAt(bytes, start + 4, end);
  const scopeStart = start + 8 + codeLength;
  if (codeLength < 1 || scopeStart + 5 > end) throw malformed("code with a wrong length");
  validateDocument(bytes, scopeStart, end, depth);
}

/** The value of a top-level field, or undefined. */
export function findField(bytes: Buffer, name: string): RawValue | undefined {
  const cursor = new ElementCursor(bytes);
  while (cursor.next()) {
    if (cursor.nameEnd - cursor.nameStart === name.length && cursor.name === name) {
      return cursor.value;
    }
  }
  return undefined;
}

export function sliceOf(value: RawValue): Buffer {
  return value.bytes.subarray(value.start, value.end);
}
