import { isUtf8 } from "node:buffer";
import { Binary, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from "bson";
import { MongoError } from "../../../errors.ts";
import { type Document, newDocument } from "../document.ts";
import { readFieldKey } from "./field-key-cache.ts";

/** MongoDB's limit of nesting. */
const depthMax = 200;
const dateLimit = 8.64e15;

type RareValue = (type: number, raw: Uint8Array) => unknown;

/** A cursor over the bytes. The readers below move `at` past the bytes they read. */
type Reader = {
  readonly buffer: Buffer;
  readonly rare: RareValue;
  at: number;
  end: number;
  depth: number;
};

export function decodeDocument(buffer: Buffer, rare: RareValue): Document {
  const reader: Reader = { buffer, rare, at: 0, end: buffer.length, depth: 0 };
  const document = readDocument(reader);
  if (reader.at !== buffer.length) throw invalid("bytes after the end of the document");
  return document;
}

function invalid(problem: string): MongoError {
  return new MongoError("InvalidBSON", `invalid BSON: ${problem}`);
}

function int32(buffer: Buffer, at: number): number {
  return (
    (buffer[at] as number) |
    ((buffer[at + 1] as number) << 8) |
    ((buffer[at + 2] as number) << 16) |
    ((buffer[at + 3] as number) << 24)
  );
}

/** Checks that `length` bytes are left and moves past them. Returns their start. */
function take(reader: Reader, length: number): number {
  const start = reader.at;
  if (length < 0 || start + length > reader.end) throw invalid("a value ends beyond its document");
  reader.at = start + length;
  return start;
}

/** Enters a document. Returns the outer end, which `leave` restores. */
function enter(reader: Reader): number {
  const start = take(reader, 4);
  const size = int32(reader.buffer, start);
  const outerEnd = reader.end;
  if (size < 5 || start + size > outerEnd) throw invalid(`document size ${size}`);
  if (reader.buffer[start + size - 1] !== 0) throw invalid("document without terminator");
  reader.depth += 1;
  if (reader.depth > depthMax) {
    throw new MongoError("Overflow", `BSONObj exceeds maximum nested object depth: ${depthMax}`);
  }
  reader.end = start + size - 1;
  return outerEnd;
}

function leave(reader: Reader, outerEnd: number): void {
  if (reader.at !== reader.end) throw invalid("document terminated early");
  reader.at += 1;
  reader.end = outerEnd;
  reader.depth -= 1;
}

function endOfName(reader: Reader): number {
  const { buffer, end } = reader;
  let at = reader.at;
  while (at < end && buffer[at] !== 0) at += 1;
  if (at >= end) throw invalid("unterminated name");
  return at;
}

function readDocument(reader: Reader): Document {
  const outerEnd = enter(reader);
  const { buffer } = reader;
  const document = newDocument();
  while (reader.at < reader.end) {
    const type = buffer[reader.at] as number;
    reader.at += 1;
    const nameEnd = endOfName(reader);
    const key = readFieldKey(buffer, reader.at, nameEnd);
    reader.at = nameEnd + 1;
    document[key] = readValue(reader, type);
  }
  leave(reader, outerEnd);
  return document;
}

function readArray(reader: Reader): unknown[] {
  const outerEnd = enter(reader);
  const array: unknown[] = [];
  while (reader.at < reader.end) {
    const type = reader.buffer[reader.at] as number;
    reader.at += 1;
    reader.at = endOfName(reader) + 1;
    array.push(readValue(reader, type));
  }
  leave(reader, outerEnd);
  return array;
}

function readValue(reader: Reader, type: number): unknown {
  const { buffer } = reader;
  switch (type) {
    case 0x01:
      return readDouble(reader);
    case 0x02:
      return readString(reader);
    case 0x03:
      return readDocument(reader);
    case 0x04:
      return readArray(reader);
    case 0x05:
      return readBinary(reader);
    case 0x07: {
      const start = take(reader, 12);
      return new ObjectId(copyBytes(buffer, start, start + 12));
    }
    case 0x08:
      return buffer[take(reader, 1)] !== 0;
    case 0x09:
      return readDate(reader);
    case 0x0a:
      return null;
    case 0x10:
      return int32(buffer, take(reader, 4));
    case 0x11: {
      const start = take(reader, 8);
      return new Timestamp({ t: buffer.readUInt32LE(start + 4), i: buffer.readUInt32LE(start) });
    }
    case 0x12:
      return buffer.readBigInt64LE(take(reader, 8));
    case 0x13: {
      const start = take(reader, 16);
      return new Decimal128(copyBytes(buffer, start, start + 16));
    }
    case 0x7f:
      return new MaxKey();
    case 0xff:
      return new MinKey();
    default:
      return readRare(reader, type);
  }
}

function readDouble(reader: Reader): number | Double {
  const value = reader.buffer.readDoubleLE(take(reader, 8));
  return (value | 0) === value && !Object.is(value, -0) ? new Double(value) : value;
}

/** Copies bytes, because values outlive the buffer, which may be a slice of a network chunk. */
function copyBytes(buffer: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  if (copy.length > 16) buffer.copy(copy, 0, start, end);
  else for (let at = start; at < end; at += 1) copy[at - start] = buffer[at] as number;
  return copy;
}

const shortTextMax = 24;

/** Reads short ASCII text, which is faster here than with the decoder. */
function readShortAscii(buffer: Buffer, start: number, end: number): string | undefined {
  let text = "";
  for (let index = start; index < end; index += 1) {
    const byte = buffer[index] as number;
    if (byte > 127) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

function readString(reader: Reader): string {
  const { buffer } = reader;
  const length = int32(buffer, take(reader, 4));
  if (length < 1) throw invalid(`string length ${length}`);
  const start = take(reader, length);
  const end = start + length - 1;
  if (buffer[end] !== 0) throw invalid("string without terminator");
  if (length <= shortTextMax) {
    const short = readShortAscii(buffer, start, end);
    if (short !== undefined) return short;
  }
  const text = buffer.toString("utf8", start, end);
  // Decoding replaces invalid UTF-8 by U+FFFD. Refuse it, so that no changed text is stored.
  if (text.includes("\ufffd") && !isUtf8(buffer.subarray(start, end))) {
    throw invalid("string is not UTF-8");
  }
  return text;
}

function readDate(reader: Reader): Date {
  const { buffer } = reader;
  const start = take(reader, 8);
  const milliseconds = int32(buffer, start + 4) * 0x1_0000_0000 + (int32(buffer, start) >>> 0);
  if (Math.abs(milliseconds) > dateLimit) {
    throw new MongoError("BadValue", `date ${milliseconds} is outside of the supported range`);
  }
  return new Date(milliseconds);
}

function readBinary(reader: Reader): unknown {
  const { buffer } = reader;
  const start = reader.at;
  const length = int32(buffer, take(reader, 4));
  const subtype = buffer[take(reader, 1)] as number;
  const data = take(reader, length);
  // The old binary subtype contains its length a second time.
  if (subtype === 2) return reader.rare(0x05, buffer.subarray(start, reader.at));
  return new Binary(copyBytes(buffer, data, reader.at), subtype);
}

/**
 * Regular expressions, code and symbols: only their length is read here; the library decodes them.
 */
function readRare(reader: Reader, type: number): unknown {
  const start = reader.at;
  if (type === 0x0b) {
    reader.at = endOfName(reader) + 1;
    reader.at = endOfName(reader) + 1;
  } else if (type === 0x0d || type === 0x0e) {
    take(reader, int32(reader.buffer, take(reader, 4)));
  } else if (type === 0x0f) {
    take(reader, int32(reader.buffer, take(reader, 4)) - 4);
  } else {
    const known = { 6: "undefined", 12: "DBPointer" }[type] ?? `0x${type.toString(16)}`;
    throw new MongoError("InvalidBSON", `BSON type ${known} is not supported`);
  }
  return reader.rare(type, reader.buffer.subarray(start, reader.at));
}
