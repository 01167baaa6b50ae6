import { type Document, fieldKey, getField, isDocument } from "./document.ts";

/**
 * A dotted path: the key of each component, and its array position (−1 if it is not a position).
 */
export type Path = {
  readonly text: string;
  readonly keys: readonly string[];
  readonly positions: readonly number[];
};

const paths = new Map<string, Path>();
const pathsMax = 10_000;

export function parsePath(text: string): Path {
  const known = paths.get(text);
  if (known !== undefined) return known;
  const names = text.split(".");
  const parsed = { text, keys: names.map(fieldKey), positions: names.map(arrayPosition) };
  if (paths.size >= pathsMax) paths.clear();
  paths.set(text, parsed);
  return parsed;
}

export function arrayPosition(name: string): number {
  return /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : -1;
}

/**
 * The position at which a filter matched in the outermost array on the path. The positional `$`
 * stands for it.
 */
export type MatchDetails = { position: number | undefined };

export type LeafTest = (value: unknown) => boolean;

/** The test of the values at the end of a path. */
export type Leaves = {
  readonly path: Path;
  readonly test: LeafTest;
  /** Whether an array at the end also counts as each of its elements. */
  readonly expand: boolean;
};

/**
 * Whether any value at the end of the path passes the test. An array on the path is followed into
 * its documents and, for a numeric component, to that position. A path that ends early outside of
 * an array gives one missing value (`undefined`). An array element that is not a document gives no
 * value.
 */
export function someLeaf(leaves: Leaves, document: Document, details?: MatchDetails): boolean {
  return inDocument(leaves, document, 0, details);
}

function inDocument(
  leaves: Leaves,
  document: Document,
  from: number,
  details: MatchDetails | undefined,
): boolean {
  const { keys } = leaves.path;
  let value: unknown = document;
  for (let at = from; at < keys.length; at += 1) {
    value = getField(value as Document, keys[at] as string);
    if (Array.isArray(value)) return inArray(leaves, value, at + 1, details);
    if (at + 1 < keys.length && !isDocument(value)) return leaves.test(undefined);
  }
  return leaves.test(value);
}

function inArray(
  leaves: Leaves,
  array: readonly unknown[],
  from: number,
  details: MatchDetails | undefined,
): boolean {
  const { keys, positions } = leaves.path;
  const atEnd = from === keys.length;
  if (atEnd && !leaves.expand) return leaves.test(array);
  for (let index = 0; index < array.length; index += 1) {
    const element = array[index];
    const passed = atEnd
      ? leaves.test(element)
      : isDocument(element) && inDocument(leaves, element, from, details);
    if (passed) {
      if (details !== undefined) details.position = index;
      return true;
    }
  }
  if (atEnd) return leaves.test(array);
  const position = positions[from] as number;
  if (position < 0 || position >= array.length) return false;
  return atPosition(leaves, array[position], from + 1, details);
}

/** An element that the path addresses by position is not expanded, even if it is an array. */
function atPosition(
  leaves: Leaves,
  element: unknown,
  from: number,
  details: MatchDetails | undefined,
): boolean {
  if (from === leaves.path.keys.length) return leaves.test(element);
  if (Array.isArray(element)) return inArray(leaves, element, from, details);
  return isDocument(element) && inDocument(leaves, element, from, details);
}
