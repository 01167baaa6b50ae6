import type { Buffer } from "node:buffer";
import { FieldNames } from "../../../bson/field-names.ts";
import { type FieldRewrite, rewriteFields } from "../../../bson/part-of-document.ts";
import { bsonType, ElementCursor, type RawValue } from "../../../bson/raw-document.ts";
import { compileRawPush } from "./raw-push.ts";
import { isCopyableValue } from "./copyable-value.ts";

/** An update that sets, removes or appends to top-level fields by replacing bytes. */
export type RawUpdate = {
  readonly changes: FieldNames;
  /** The changed document, or undefined if the document must be decoded. */
  readonly apply: (document: Buffer) => Buffer | undefined;
};

/** Compiles the operand of each operator. Undefined if the update needs decoded values. */
const operators: Readonly<Record<string, (operand: ElementCursor) => FieldRewrite | undefined>> = {
  $set: (operand) => {
    if (!isCopyableValue(operand.value)) return undefined;
    const element = operand.bytes.subarray(operand.nameStart - 1, operand.end);
    return () => [element];
  },
  $unset: () => () => [],
  $push: (operand) => compileRawPush(operand.name, operand.value),
};

/** Undefined if the update needs decoded values or is invalid. */
export function compileRawUpdate(update: RawValue): RawUpdate | undefined {
  if (update.type !== bsonType.object) return undefined;
  const rewrites = new Map<string, FieldRewrite>();
  const given = new ElementCursor(update.bytes, update.start, update.end);
  while (given.next()) {
    const rewriteOf = Object.hasOwn(operators, given.name) ? operators[given.name] : undefined;
    if (rewriteOf === undefined || given.type !== bsonType.object) return undefined;
    const operands = new ElementCursor(update.bytes, given.start, given.end);
    while (operands.next()) {
      const { name } = operands;
      const rewrite = isSimpleName(name) && !rewrites.has(name) ? rewriteOf(operands) : undefined;
      if (rewrite === undefined) return undefined;
      rewrites.set(name, rewrite);
    }
  }
  if (rewrites.size === 0) return undefined;
  const changes = new FieldNames(rewrites.keys());
  // MongoDB adds new fields in this order.
  const ordered = new Map([...rewrites].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { changes, apply: (document) => rewriteFields(document, changes, ordered) };
}

/** Whether the name is neither a dotted path, nor an array position, nor `_id`. */
function isSimpleName(name: string): boolean {
  return name !== "_id" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
