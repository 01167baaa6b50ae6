import type { Buffer } from "node:buffer";
import { bsonType, bsonTypeName, ElementCursor, sliceOf } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import { decodeDocument, decodeValue } from "../document-codec.ts";
import type { Document } from "../document-codec.ts";
import { MongoError } from "../errors.ts";

/** The types of command fields. As in MongoDB, a number may have any numeric type. */
export type FieldType =
  | "string"
  | "object"
  | "array"
  | "bool"
  | "number"
  | "binData"
  | "timestamp"
  | "any"
  | "stringOrObject"
  | "objectOrArray";

export type Fields = { readonly [name: string]: FieldType };

const numeric = [bsonType.int32, bsonType.int64, bsonType.double, bsonType.decimal128] as const;

const typesOf: { readonly [type in FieldType]: readonly number[] | undefined } = {
  string: [bsonType.string],
  object: [bsonType.object],
  array: [bsonType.array],
  bool: [bsonType.boolean, ...numeric],
  number: numeric,
  binData: [bsonType.binary],
  timestamp: [bsonType.timestamp],
  any: undefined,
  stringOrObject: [bsonType.string, bsonType.object],
  objectOrArray: [bsonType.object, bsonType.array],
};

/** The fields of a command or of one of its statements, read on demand from its bytes. */
export class CommandBody {
  /** The path for error messages: `find`, `update.updates`. */
  readonly path: string;
  private readonly values = new Map<string, RawValue>();
  private readonly sequences: ReadonlyMap<string, readonly Buffer[]> | undefined;

  constructor(path: string, bytes: Buffer, sequences?: ReadonlyMap<string, readonly Buffer[]>) {
    this.path = path;
    this.sequences = sequences;
    const cursor = new ElementCursor(bytes);
    while (cursor.next()) {
      const name = cursor.name;
      if (this.values.has(name)) {
        throw new MongoError(40413, `BSON field '${path}.${name}' is a duplicate field`);
      }
      this.values.set(name, cursor.value);
    }
    for (const name of sequences?.keys() ?? []) {
      if (this.values.has(name)) {
        throw new MongoError(40413, `BSON field '${path}.${name}' is a duplicate field`);
      }
    }
  }

  /** Refuses unknown fields and values of the wrong type. */
  check(fields: Fields, generic?: Fields): void {
    for (const [name, value] of this.values) {
      const type = fields[name] ?? generic?.[name];
      if (type === undefined) throw this.unknownField(name);
      this.checkType(name, value, type);
    }
    for (const name of this.sequences?.keys() ?? []) {
      if (fields[name] !== "array") throw this.unknownField(name);
    }
  }

  private unknownField(name: string): MongoError {
    return new MongoError(40415, `BSON field '${this.path}.${name}' is an unknown field.`);
  }

  private checkType(name: string, value: RawValue, type: FieldType): void {
    const allowed = typesOf[type];
    if (allowed === undefined || allowed.includes(value.type)) return;
    if (value.type === bsonType.null) {
      // MongoDB treats null as an absent field.
      this.values.delete(name);
      return;
    }
    const wanted = allowed.map((one) => bsonTypeName[one]).join(", ");
    throw new MongoError(
      "TypeMismatch",
      `BSON field '${this.path}.${name}' is the wrong type '${bsonTypeName[value.type]}', ` +
        (allowed.length === 1 ? `expected type '${wanted}'` : `expected types '[${wanted}]'`),
    );
  }

  has(name: string): boolean {
    return this.values.has(name) || this.sequences?.has(name) === true;
  }

  names(): Iterable<string> {
    return this.values.keys();
  }

  raw(name: string): RawValue | undefined {
    return this.values.get(name);
  }

  value(name: string): unknown {
    const value = this.values.get(name);
    return value === undefined ? undefined : decodeValue(value);
  }

  string(name: string): string | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    if (value.type !== bsonType.string) {
      throw new MongoError(
        "TypeMismatch",
        `BSON field '${this.path}.${name}' is the wrong type '${bsonTypeName[value.type]}', expected type 'string'`,
      );
    }
    return value.bytes.toString("utf8", value.start + 4, value.end - 1);
  }

  bool(name: string): boolean {
    const value = this.values.get(name);
    if (value === undefined) return false;
    if (value.type === bsonType.boolean) return value.bytes[value.start] === 1;
    return (this.number(name) ?? 0) !== 0;
  }

  number(name: string): number | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    switch (value.type) {
      case bsonType.int32:
        return value.bytes.readInt32LE(value.start);
      case bsonType.int64:
        return Number(value.bytes.readBigInt64LE(value.start));
      case bsonType.double:
        return value.bytes.readDoubleLE(value.start);
      default:
        return Number(String(decodeValue(value)));
    }
  }

  bigint(name: string): bigint | undefined {
    const value = this.values.get(name);
    if (value?.type === bsonType.int64) return value.bytes.readBigInt64LE(value.start);
    const number = this.number(name);
    return number === undefined ? undefined : BigInt(Math.trunc(number));
  }

  /** A whole number that is not negative. */
  natural(name: string): number | undefined {
    const number = this.number(name);
    if (number === undefined) return undefined;
    if (!Number.isSafeInteger(number)) {
      throw new MongoError("FailedToParse", `${this.path}.${name} must be a whole number`);
    }
    if (number < 0) {
      throw new MongoError(
        51024,
        `BSON field '${name}' value must be >= 0, actual value '${number}'`,
      );
    }
    return number;
  }

  bytes(name: string): Buffer | undefined {
    const value = this.values.get(name);
    return value === undefined ? undefined : sliceOf(value);
  }

  /** The content of a binary value, without its length and subtype. */
  binary(name: string): Buffer | undefined {
    const value = this.values.get(name);
    return value?.bytes.subarray(value.start + 5, value.end);
  }

  document(name: string): Document | undefined {
    const bytes = this.bytes(name);
    return bytes === undefined ? undefined : decodeDocument(bytes);
  }

  /** The raw documents of an array field or of a document sequence. */
  documents(name: string): readonly Buffer[] {
    const sequence = this.sequences?.get(name);
    if (sequence !== undefined) return sequence;
    const array = this.values.get(name);
    if (array === undefined) return [];
    const documents: Buffer[] = [];
    const cursor = new ElementCursor(array.bytes, array.start, array.end);
    while (cursor.next()) {
      if (cursor.type !== bsonType.object) {
        throw new MongoError(
          "TypeMismatch",
          `BSON field '${this.path}.${name}.${cursor.name}' is the wrong type ` +
            `'${bsonTypeName[cursor.type]}', expected type 'object'`,
        );
      }
      documents.push(array.bytes.subarray(cursor.start, cursor.end));
    }
    return documents;
  }
}

export function requireField<T>(value: T | undefined, path: string, name: string): T {
  if (value === undefined) {
    throw new MongoError(40414, `BSON field '${path}.${name}' is missing but a required field`);
  }
  return value;
}
