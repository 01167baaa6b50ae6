import type { Buffer } from "node:buffer";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { FieldNames } from "../bson/field-names.ts";
import { bsonType, ElementCursor } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";
import type { IndexDefinition, IndexField } from "./definition.ts";
import { KeyWriter } from "./key-writer.ts";

/** What an index sees at the end of a path. */
export type IndexedValue = RawValue | "missing" | "emptyArray";

export type ExtractedKeys = {
  /** Distinct keys; a sparse index has none for what holds no field of it, elements of arrays included. */
  readonly keys: readonly Buffer[];
  /** For each field of the index, whether its path crossed an array. */
  readonly arrays: readonly boolean[];
};

type Position = {
  /** Where the walk stands, or what it ended at. */
  node: RawValue | "missing" | "emptyArray";
  /** Components already walked; past the last one the walk is done. */
  depth: number;
  /** An element of the array the path ended at is not expanded again. */
  done: boolean;
};

const writer = new KeyWriter();
const noArrays: readonly boolean[] = [];

/** The top-level fields that `names` asks for, found in one walk. */
export function topLevelFields(document: Buffer, names: FieldNames): ReadonlyMap<string, RawValue> {
  const found = new Map<string, RawValue>();
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const name = names.at(cursor);
    if (name !== undefined && !found.has(name)) found.set(name, cursor.value);
  }
  return found;
}

export function extractKeys(
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
): ExtractedKeys {
  const direct = extractDirectly(index, top);
  if (direct !== undefined) return direct;
  const keys = new DistinctKeys(index);
  const arrays = index.fields.map(() => false);
  expand(index, startingPositions(index, top), arrays, (row) => {
    if (index.sparse && row.every((value) => value === "missing")) return;
    writeKey(index.fields, row);
    keys.add(writer.take());
  });
  return { keys: keys.all, arrays };
}

/** So few keys are compared with each other sooner than looked up. */
const fewKeys = 24;

class DistinctKeys {
  readonly all: Buffer[] = [];
  private readonly index: IndexDefinition;
  private known: Set<string> | undefined;

  constructor(index: IndexDefinition) {
    this.index = index;
  }

  /** `from`: how many bytes all keys have in common. */
  add(key: Buffer, from = 0): void {
    if (this.isRepeated(key, from)) return;
    this.all.push(key);
    if (this.all.length <= limits.keysPerDocumentMax) return;
    throw new MongoError("BadValue", `too many index keys in one document for ${this.index.name}`);
  }

  /** From now on it is. */
  private isRepeated(key: Buffer, from: number): boolean {
    const { all } = this;
    if (all.length < fewKeys) {
      for (let i = 0; i < all.length; i += 1) if (isSame(all[i]!, key, from)) return true;
      return false;
    }
    this.known ??= new Set(all.map((one) => one.toString("latin1")));
    const { size } = this.known;
    return this.known.add(key.toString("latin1")).size === size;
  }
}

function isSame(a: Buffer, b: Buffer, from: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = from; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

/** Of a document with no array on the index's paths, or with one at the top: of most documents. */
function extractDirectly(
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
    const value = reachedBy(field, top);
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
    return { keys: sparse && !present ? [] : [writer.take()], arrays: noArrays };
  }
  const keys = keysOfElements(index, array, arrayField.descending, before);
  return { keys, arrays: fields.map((field) => field === arrayField) };
}

/** The writer has what stands before the elements, and from `before` on what stands after them. */
function keysOfElements(
  index: IndexDefinition,
  array: RawValue,
  descending: boolean,
  before: number,
): readonly Buffer[] {
  const after = writer.take(before);
  writer.cut(before);
  const keys = new DistinctKeys(index);
  const keep = () => {
    writer.append(after);
    keys.add(writer.take(), before);
    writer.cut(before);
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

/** What the path leads to; the first array on it, if there is one. */
export function reachedBy(
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
      isOpenArray(position) ? intoElement(position, element, index.fields[i]!) : position,
    );
    expand(index, next, arrays, emit);
  }
}

/** The values that make up one key of a document. */
export function rowOfKey(
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
  key: Buffer,
): readonly IndexedValue[] {
  let found: readonly IndexedValue[] = [];
  expand(index, startingPositions(index, top), [], (row) => {
    writeKey(index.fields, row);
    if (writer.take().equals(key)) found = row;
  });
  return found;
}

function startingPositions(
  index: IndexDefinition,
  top: ReadonlyMap<string, RawValue>,
): readonly Position[] {
  return index.fields.map((field) => {
    const first = top.get(field.components[0] ?? "");
    return { node: first ?? "missing", depth: 1, done: first === undefined };
  });
}

function isOpenArray(position: Position): boolean {
  return !position.done && typeof position.node === "object";
}

function intoElement(
  position: Position,
  element: RawValue | "emptyArray",
  field: IndexField,
): Position {
  const ends = position.depth >= field.components.length;
  if (element === "emptyArray") {
    return { node: ends ? "emptyArray" : "missing", depth: position.depth, done: true };
  }
  if (ends) return { node: element, depth: position.depth, done: true };
  // A path does not go through an array that lies directly in an array.
  if (element.type !== bsonType.object) {
    return { node: "missing", depth: position.depth, done: true };
  }
  return { node: element, depth: position.depth, done: false };
}

/** Walks through objects until an array, a missing field or the end of the path. */
function advance(position: Position, field: IndexField): Position {
  let { node, depth } = position;
  if (position.done) return position;
  while (typeof node === "object") {
    const component: string | undefined = field.components[depth];
    if (node.type === bsonType.array) {
      if (component === undefined || !/^\d+$/.test(component)) return { node, depth, done: false };
    } else if (component === undefined) {
      return { node, depth, done: true };
    } else if (node.type !== bsonType.object) {
      return { node: "missing", depth, done: true };
    }
    node = childOf(node, component) ?? "missing";
    depth++;
  }
  return { node, depth, done: true };
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
