import type { Buffer } from "node:buffer";
import { MongoError } from "../errors.ts";
import type { FieldNames } from "../bson/field-names.ts";
import { bsonType, ElementCursor } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import type { IndexDefinition, IndexField } from "./definition.ts";
import { DistinctKeys } from "./distinct-keys.ts";
import { KeyWriter } from "./key-writer.ts";

/** The value that an index finds at the end of a path. */
export type IndexedValue = RawValue | "missing" | "emptyArray";

export type ExtractedKeys = {
  /**
   * Distinct keys. A sparse index has none for a document, or array element, without any of its
   * fields.
   */
  readonly keys: readonly Buffer[];
  /** For each field of the index: whether its path crossed an array. */
  readonly arrays: readonly boolean[];
};

type Position = {
  /** The value reached so far. */
  node: RawValue | "missing" | "emptyArray";
  /** The number of path components already followed. */
  depth: number;
  /** The value is final: an array at the end of the path is expanded only once. */
  isFinal: boolean;
};

const writer = new KeyWriter();
const noArrays: readonly boolean[] = [];

/** Finds the named top-level fields in one pass. */
export function topLevelFields(document: Buffer, names: FieldNames): ReadonlyMap<string, RawValue> {
  const found = new Map<string, RawValue>();
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const name = names.matchAt(cursor);
    if (name !== undefined && !found.has(name)) found.set(name, cursor.value);
  }
  return found;
}

export function extractKeys(
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
): ExtractedKeys {
  const direct = extractWithoutExpansion(index, top);
  if (direct !== undefined) return direct;
  const keys = new DistinctKeys(index);
  const arrays = index.fields.map(() => false);
  expand(index, startingPositions(index, top), arrays, (row) => {
    if (index.sparse && row.every((value) => value === "missing")) return;
    writeKey(index.fields, row);
    keys.add(writer.copyBytes());
  });
  return { keys: keys.all, arrays };
}

/**
 * The fast path for most documents: no array on the paths of the index, or one array in a top-level
 * field. Returns undefined for other documents.
 */
function extractWithoutExpansion(
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
): ExtractedKeys | undefined {
  const { fields, sparse } = index;
  let array: RawValue | undefined;
  let arrayField: IndexField | undefined;
  let before = 0;
  let present = false;
  writer.reset();
  for (const field of fields) {
    const value = valueAtPath(field, top);
    if (value === undefined) {
      writer.missing(field.descending);
      continue;
    }
    present = true;
    if (value.type !== bsonType.array) {
      writer.value(value, field.descending);
    } else {
      if (array !== undefined || field.components.length > 1) return undefined;
      array = value;
      arrayField = field;
      before = writer.size;
    }
  }
  if (array === undefined || arrayField === undefined) {
    return { keys: sparse && !present ? [] : [writer.copyBytes()], arrays: noArrays };
  }
  const keys = keysOfElements(index, array, arrayField.descending, before);
  return { keys, arrays: fields.map((field) => field === arrayField) };
}

/** The writer holds the key bytes before the element, and from `before` on those after it. */
function keysOfElements(
  index: IndexDefinition,
  array: RawValue,
  descending: boolean,
  before: number,
): readonly Buffer[] {
  const after = writer.copyBytes(before);
  writer.truncate(before);
  const keys = new DistinctKeys(index);
  const keep = () => {
    writer.append(after);
    keys.add(writer.copyBytes(), before);
    writer.truncate(before);
  };
  const cursor = new ElementCursor(array.bytes, array.start, array.end);
  while (cursor.next()) {
    writer.value(cursor, descending);
    keep();
  }
  if (keys.all.length === 0) {
    writer.emptyArray(descending);
    keep();
  }
  return keys.all;
}

/** The value at the end of the path, or the first array on the path. */
export function valueAtPath(
  { components }: IndexField,
  top: ReadonlyMap<string, RawValue>,
): RawValue | undefined {
  let value = top.get(components[0] ?? "");
  for (let depth = 1; depth < components.length; depth += 1) {
    if (value === undefined || value.type === bsonType.array) return value;
    const component = components[depth] ?? "";
    value = value.type === bsonType.object ? childOf(value, component) : undefined;
  }
  return value;
}

function writeKey(fields: readonly IndexField[], row: readonly IndexedValue[]): void {
  writer.reset();
  for (const [i, field] of fields.entries()) {
    const value = row[i] ?? "missing";
    if (value === "missing") writer.missing(field.descending);
    else if (value === "emptyArray") writer.emptyArray(field.descending);
    else writer.value(value, field.descending);
  }
}

function expand(
  index: IndexDefinition,
  positions: readonly Position[],
  arrays: boolean[],
  emit: (row: readonly IndexedValue[]) => void,
): void {
  const reached = positions.map((position, i) => advance(position, index.fields[i]!));
  const atArray = reached.filter((position) => isOpenArray(position));
  const first = atArray[0];
  if (first === undefined) {
    emit(reached.map((position) => position.node));
    return;
  }
  const array = first.node as RawValue;
  for (const [i, position] of reached.entries()) {
    if (!isOpenArray(position)) continue;
    arrays[i] = true;
    if ((position.node as RawValue).start !== array.start) throw parallelArrays(index, reached);
  }
  const elements: (RawValue | "emptyArray")[] = [...elementsOf(array)];
  if (elements.length === 0) elements.push("emptyArray");
  for (const element of elements) {
    const next = reached.map((position, i) =>
      isOpenArray(position) ? enterElement(position, element, index.fields[i]!) : position,
    );
    expand(index, next, arrays, emit);
  }
}

/** The values of which a key of the document is made. */
export function valuesOfKey(
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
  key: Buffer,
): readonly IndexedValue[] {
  let found: readonly IndexedValue[] = [];
  expand(index, startingPositions(index, top), [], (row) => {
    writeKey(index.fields, row);
    if (writer.copyBytes().equals(key)) found = row;
  });
  return found;
}

function startingPositions(
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
): readonly Position[] {
  return index.fields.map((field) => {
    const first = top.get(field.components[0] ?? "");
    return { node: first ?? "missing", depth: 1, isFinal: first === undefined };
  });
}

function isOpenArray(position: Position): boolean {
  return !position.isFinal && typeof position.node === "object";
}

function enterElement(
  position: Position,
  element: RawValue | "emptyArray",
  field: IndexField,
): Position {
  const ends = position.depth >= field.components.length;
  if (element === "emptyArray") {
    return { node: ends ? "emptyArray" : "missing", depth: position.depth, isFinal: true };
  }
  if (ends) return { node: element, depth: position.depth, isFinal: true };
  // A path does not continue through an array that is directly inside an array.
  if (element.type !== bsonType.object) {
    return { node: "missing", depth: position.depth, isFinal: true };
  }
  return { node: element, depth: position.depth, isFinal: false };
}

/** Follows the path through objects up to an array, a missing field or the end of the path. */
function advance(position: Position, field: IndexField): Position {
  let { node, depth } = position;
  if (position.isFinal) return position;
  while (typeof node === "object") {
    const component: string | undefined = field.components[depth];
    if (node.type === bsonType.array) {
      if (component === undefined || !/^\d+$/.test(component))
        return { node, depth, isFinal: false };
    } else if (component === undefined) {
      return { node, depth, isFinal: true };
    } else if (node.type !== bsonType.object) {
      return { node: "missing", depth, isFinal: true };
    }
    node = childOf(node, component) ?? "missing";
    depth++;
  }
  return { node, depth, isFinal: true };
}

function childOf(parent: RawValue, name: string): RawValue | undefined {
  const cursor = new ElementCursor(parent.bytes, parent.start, parent.end);
  const first = name.charCodeAt(0);
  while (cursor.next()) {
    const isOther = first < 0x80 && parent.bytes[cursor.nameStart] !== first;
    if (!isOther && cursor.name === name) return cursor.value;
  }
  return undefined;
}

function* elementsOf(array: RawValue): Generator<RawValue> {
  const cursor = new ElementCursor(array.bytes, array.start, array.end);
  while (cursor.next()) yield cursor.value;
}

function parallelArrays(index: IndexDefinition, reached: readonly Position[]): MongoError {
  const names = index.fields
    .filter((_, i) => isOpenArray(reached[i]!))
    .map((field) => field.components.at(-1));
  return new MongoError(171, `cannot index parallel arrays [${names.join("] [")}]`);
}
