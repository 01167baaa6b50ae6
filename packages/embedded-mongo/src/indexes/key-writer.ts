import { Buffer } from "node:buffer";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { bsonType, ElementCursor } from "../bson/raw-document.ts";
import { rawValueOf } from "../document-codec.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { numberKeyBytesMax, writeDecimal128, writeDouble, writeInt64 } from "./number-key.ts";

/*
 * Keys sort byte by byte exactly as BSON compares values: first a byte for the rank of the type,
 * then the value. No key is a prefix of another key, so the keys of several fields can be
 * concatenated. The bytes of a descending field are inverted.
 */

/** The rank of each type. 0x00 and 0xff are reserved for ends and bounds. */
export const order = {
  minKey: 0x05,
  undefined: 0x0a,
  null: 0x10,
  number: 0x20,
  string: 0x28,
  object: 0x30,
  array: 0x38,
  binary: 0x40,
  objectId: 0x48,
  boolean: 0x50,
  date: 0x58,
  timestamp: 0x60,
  regex: 0x68,
  code: 0x78,
  codeWithScope: 0x80,
  maxKey: 0xf0,
} as const;

export const orderOfType: Readonly<Record<number, number>> = {
  [bsonType.minKey]: order.minKey,
  [bsonType.undefined]: order.null,
  [bsonType.null]: order.null,
  [bsonType.double]: order.number,
  [bsonType.int32]: order.number,
  [bsonType.int64]: order.number,
  [bsonType.decimal128]: order.number,
  [bsonType.string]: order.string,
  [bsonType.symbol]: order.string,
  [bsonType.object]: order.object,
  [bsonType.array]: order.array,
  [bsonType.binary]: order.binary,
  [bsonType.objectId]: order.objectId,
  [bsonType.boolean]: order.boolean,
  [bsonType.date]: order.date,
  [bsonType.timestamp]: order.timestamp,
  [bsonType.regex]: order.regex,
  [bsonType.code]: order.code,
  [bsonType.codeWithScope]: order.codeWithScope,
  [bsonType.maxKey]: order.maxKey,
};

const endOfElements = 0x00;

export class KeyWriter {
  private out = Buffer.allocUnsafeSlow(4096);
  private length = 0;

  reset(): void {
    this.length = 0;
  }

  get size(): number {
    return this.length;
  }

  /** Drops everything after the first `size` bytes. */
  truncate(size: number): void {
    this.length = size;
  }

  /** Copies the bytes written from `from` on. */
  copyBytes(from = 0): Buffer {
    const { out, length } = this;
    const copy = Buffer.allocUnsafe(length - from);
    // Most keys are short, so a loop is cheaper than a call into the runtime.
    for (let i = from; i < length; i += 1) copy[i - from] = out[i]!;
    return copy;
  }

  byte(value: number): void {
    this.reserve(1);
    this.out[this.length++] = value;
  }

  append(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.reserve(end - start);
    const { out, length } = this;
    for (let i = start; i < end; i += 1) out[length + i - start] = bytes[i]!;
    this.length += end - start;
  }

  value(value: RawValue, descending = false): void {
    const from = this.length;
    this.write(value.bytes, value.type, value.start, value.end, limits.nestingMax);
    if (descending) this.invert(from);
  }

  /** A field that is missing is indexed as null. */
  missing(descending: boolean): void {
    this.byte(descending ? ~order.null & 0xff : order.null);
  }

  /** An empty array sorts before null. */
  emptyArray(descending: boolean): void {
    this.byte(descending ? ~order.undefined & 0xff : order.undefined);
  }

  private invert(from: number): void {
    const out = this.out;
    for (let i = from; i < this.length; i++) out[i] = ~out[i]! & 0xff;
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.out.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.out.length * 2));
    this.out.copy(grown, 0, 0, this.length);
    this.out = grown;
  }

  private write(bytes: Buffer, type: number, start: number, end: number, depth: number): void {
    const place = orderOfType[type];
    if (place === undefined || depth === 0) {
      throw new MongoError("CannotCreateIndex", "a value of this type cannot be indexed");
    }
    this.byte(place);
    this.payload(bytes, type, start, end, depth);
  }

  private payload(bytes: Buffer, type: number, start: number, end: number, depth: number): void {
    switch (type) {
      case bsonType.int32:
      case bsonType.int64:
      case bsonType.double:
      case bsonType.decimal128:
        this.number(bytes, type, start, end);
        return;
      case bsonType.string:
      case bsonType.symbol:
      case bsonType.code:
        this.escaped(bytes, start + 4, end - 1);
        return;
      case bsonType.object:
      case bsonType.array:
        this.elements(bytes, start, end, type === bsonType.object, depth);
        return;
      case bsonType.binary:
        this.binary(bytes, start, end);
        return;
      case bsonType.objectId:
      case bsonType.boolean:
        this.append(bytes, start, end);
        return;
      case bsonType.date:
      case bsonType.timestamp:
        this.eightBytes(bytes, start, type === bsonType.date);
        return;
      case bsonType.regex:
        this.regex(bytes, start, end);
        return;
      case bsonType.codeWithScope: {
        const scopeStart = start + 8 + bytes.readInt32LE(start + 4);
        this.escaped(bytes, start + 8, scopeStart - 1);
        this.elements(bytes, scopeStart, end, true, depth);
        return;
      }
      default:
        // These types have one value only: null, undefined, MinKey, MaxKey.
        return;
    }
  }

  private number(bytes: Buffer, type: number, start: number, end: number): void {
    this.reserve(numberKeyBytesMax);
    const { out, length } = this;
    if (type === bsonType.int32) {
      this.length = writeDouble(out, length, bytes.readInt32LE(start));
    } else if (type === bsonType.double) {
      this.length = writeDouble(out, length, bytes.readDoubleLE(start));
    } else if (type === bsonType.int64) {
      const low = bytes.readInt32LE(start);
      this.length = writeInt64(out, length, low, bytes.readInt32LE(start + 4));
    } else {
      this.length = writeDecimal128(out, length, bytes.subarray(start, end));
    }
  }

  private eightBytes(bytes: Buffer, start: number, signed: boolean): void {
    this.reserve(8);
    const { out, length } = this;
    for (let i = 0; i < 8; i += 1) out[length + i] = bytes[start + 7 - i]!;
    if (signed) out[length]! ^= 0x80;
    this.length += 8;
  }

  /** Bytes ended by a zero byte. A zero byte inside is followed by 0xff. */
  private escaped(bytes: Buffer, start: number, end: number): void {
    this.reserve((end - start) * 2 + 1);
    const out = this.out;
    let at = this.length;
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      out[at++] = byte;
      if (byte === 0) out[at++] = 0xff;
    }
    out[at++] = 0;
    this.length = at;
  }

  private binary(bytes: Buffer, start: number, end: number): void {
    this.reserve(4);
    this.out.writeUInt32BE(bytes.readUInt32LE(start), this.length);
    this.length += 4;
    this.append(bytes, start + 4, end);
  }

  private regex(bytes: Buffer, start: number, end: number): void {
    const patternEnd = bytes.indexOf(0, start);
    this.escaped(bytes, start, patternEnd);
    this.escaped(bytes, patternEnd + 1, end - 1);
  }

  /** Objects compare field by field: type, then name, then value. */
  private elements(bytes: Buffer, start: number, end: number, named: boolean, depth: number): void {
    const cursor = new ElementCursor(bytes, start, end);
    while (cursor.next()) {
      if (named) {
        const place = orderOfType[cursor.type];
        if (place === undefined) throw new MongoError("CannotCreateIndex", "unknown type");
        this.byte(place);
        this.escaped(bytes, cursor.nameStart, cursor.nameEnd);
      }
      this.write(bytes, cursor.type, cursor.start, cursor.end, depth - 1);
    }
    this.byte(endOfElements);
  }
}

const writer = new KeyWriter();

/** The key of one value in an ascending index. `undefined` gives the key of an empty array. */
export function encodeKey(value: unknown): Buffer {
  writer.reset();
  if (value === undefined) writer.emptyArray(false);
  else writer.value(rawValueOf(value));
  return writer.copyBytes();
}
