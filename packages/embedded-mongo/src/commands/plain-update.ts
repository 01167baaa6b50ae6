import type { Buffer } from "node:buffer";
import { FieldNames } from "../bson/field-names.ts";
import { type Rewrite, withRewritten } from "../bson/part-of-document.ts";
import { bsonType, ElementCursor, type RawValue } from "../bson/raw-document.ts";
import { plainPush } from "./plain-push.ts";
import { isPlainValue } from "./plain-value.ts";

/** An update that sets or removes top-level fields, or appends to them: bytes in place of bytes. */
export type PlainUpdate = {
  readonly changes: FieldNames;
  /** The changed document; undefined where that takes more than bytes. */
  readonly apply: (document: Buffer) => Buffer | undefined;
};

/** What each operator does with its operand; undefined where that takes more than bytes. */
const operators: Readonly<Record<string, (operand: ElementCursor) => Rewrite | undefined>> = {
  $set: (operand) => {
    if (!isPlainValue(operand.value)) return undefined;
    const element = operand.bytes.subarray(operand.nameStart - 1, operand.end);
    return () => [element];
  },
  $unset: () => () => [],
  $push: (operand) => plainPush(operand.name, operand.value),
};

/** Undefined for an update that is more than that, or wrong. */
export function plainUpdateOf(update: RawValue): PlainUpdate | undefined {
  if (update.type !== bsonType.object) return undefined;
  const rewrites = new Map<string, Rewrite>();
  const given = new ElementCursor(update.bytes, update.start, update.end);
  while (given.next()) {
    const rewriteOf = Object.hasOwn(operators, given.name) ? operators[given.name] : undefined;
    if (rewriteOf === undefined || given.type !== bsonType.object) return undefined;
    const operands = new ElementCursor(update.bytes, given.start, given.end);
    while (operands.next()) {
      const { name } = operands;
      const rewrite = isPlainName(name) && !rewrites.has(name) ? rewriteOf(operands) : undefined;
      if (rewrite === undefined) return undefined;
      rewrites.set(name, rewrite);
    }
  }
  if (rewrites.size === 0) return undefined;
  const changes = new FieldNames(rewrites.keys());
  // In the order in which an update adds fields.
  const ordered = new Map([...rewrites].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { changes, apply: (document) => withRewritten(document, changes, ordered) };
}

/** No path, no position in an array, and not the id. */
function isPlainName(name: string): boolean {
  return name !== "_id" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
