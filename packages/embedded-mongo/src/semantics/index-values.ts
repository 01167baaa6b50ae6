import { MongoError } from "../errors.ts";
import { compareBson } from "./values/comparison/compare.ts";
import { type Document, getField, isDocument } from "./values/document.ts";
import { parsePath, type Path } from "./values/paths.ts";

/**
 * The values that MongoDB puts into an index for a document.
 *
 * - A missing field is null.
 * - An array counts as each of its elements; an empty array at the end of the path is `undefined`
 *   (BSON undefined: below null), in the middle of the path null.
 * - Through arrays of subdocuments the path is followed in every element; an element that is not a
 *   document gives null. Arrays directly in arrays are values and are not followed.
 * - A numeric component names an array position when there is one.
 *
 * The values cover everything that a filter on the same path can match, but null entries also
 * occur for documents that `{path: null}` does not match: the filter must be checked again.
 */
export function indexValues(document: Document, path: string): unknown[] {
  return indexTuples(document, [path]).map((tuple) => tuple[0]);
}

type Pending = { readonly at: unknown; readonly from: number };
/**
 * The entries of a compound index: one tuple per element of the one array that the paths may share.
 * Two different arrays in one document are refused, as in MongoDB. A sparse index has no
 * entry in which every field is missing.
 */
export function indexTuples(
  document: Document,
  indexed: readonly string[],
  sparse = false,
): unknown[][] {
  const parsed = indexed.map(parsePath);
  const tuples: unknown[][] = [];
  const scalars = scalarTuple(document, parsed);
  if (scalars !== undefined) tuples.push(scalars);
  else expandAll(document, parsed, indexed, tuples);
  const held = sparse
    ? tuples.filter((tuple) => tuple.some((value) => value !== undefined))
    : tuples;
  return distinct(held.map((tuple) => tuple.map((value) => value ?? null)));
}

function expandAll(
  document: Document,
  parsed: readonly Path[],
  indexed: readonly string[],
  tuples: unknown[][],
): void {
  expand(
    parsed,
    parsed.map(() => ({ at: document, from: 0 })),
    indexed,
    tuples,
  );
}

/** The fast path for the common case: no array on any path. */
function scalarTuple(document: Document, parsed: readonly Path[]): unknown[] | undefined {
  const tuple: unknown[] = [];
  for (const { keys } of parsed) {
    let value: unknown = document;
    for (const key of keys) {
      value = isDocument(value) ? getField(value, key) : undefined;
      if (Array.isArray(value)) return undefined;
      if (value === undefined) break;
    }
    tuple.push(value);
  }
  return tuple;
}

/** Follows each path to its end or to an array. All paths that stop must stop at the same array. */
function expand(
  parsed: readonly Path[],
  pending: readonly Pending[],
  indexed: readonly string[],
  tuples: unknown[][],
): void {
  const reached = pending.map((one, index) => advance(parsed[index] as Path, one));
  const waiting = reached.flatMap((one, index) => (one.stopped ? [index] : []));
  const first = waiting[0];
  if (first === undefined) {
    tuples.push(reached.map((one) => one.at));
    return;
  }
  const array = (reached[first] as Reached).at as unknown[];
  const other = waiting.find((index) => (reached[index] as Reached).at !== array);
  if (other !== undefined) {
    throw new MongoError(
      171,
      `cannot index parallel arrays [${lastName(indexed[other])}] [${lastName(indexed[first])}]`,
    );
  }
  const elements = array.length === 0 ? [noElement] : array;
  for (const element of elements) {
    expand(
      parsed,
      reached.map((one, index) =>
        one.stopped
          ? enterElement(parsed[index] as Path, element, one.from)
          : { at: new Done(one.at), from: one.from },
      ),
      indexed,
      tuples,
    );
  }
}

/** Stands for the element of an empty array. */
const noElement = Symbol("no element");

function lastName(path: string | undefined): string {
  return path?.split(".").at(-1) ?? "";
}

/** A final value: the path ends here, even at an array or a document. */
class Done {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

type Reached = { readonly at: unknown; readonly from: number; readonly stopped: boolean };

function advance(path: Path, start: Pending): Reached {
  let { at, from } = start;
  for (;;) {
    if (at instanceof Done) return { at: at.value, from, stopped: false };
    if (Array.isArray(at)) {
      const position = path.positions[from] ?? -1;
      if (position < 0 || position >= at.length) return { at, from, stopped: true };
      refuseAmbiguous(at, path.keys[from] as string);
      at = at[position] as unknown;
      from += 1;
    } else if (from === path.keys.length) {
      return { at, from, stopped: false };
    } else {
      at = isDocument(at) ? getField(at, path.keys[from] as string) : undefined;
      if (at === undefined) return { at: undefined, from, stopped: false };
      from += 1;
    }
  }
}

function refuseAmbiguous(array: readonly unknown[], key: string): void {
  if (array.some((element) => isDocument(element) && getField(element, key) !== undefined)) {
    throw new MongoError(
      16746,
      "Ambiguous field name found in array (do not use numeric field names in embedded elements in an array)",
    );
  }
}

function enterElement(path: Path, element: unknown, from: number): Pending {
  const atEnd = from === path.keys.length;
  if (element === noElement) return { at: new Done(atEnd ? emptyArray : undefined), from };
  if (atEnd) return { at: new Done(element), from };
  return isDocument(element) ? { at: element, from } : { at: new Done(undefined), from };
}

const emptyArray = Symbol("empty array");

/** Sorted, without duplicates. */
function distinct(tuples: unknown[][]): unknown[][] {
  const values = tuples.map((tuple) => tuple.map((one) => (one === emptyArray ? undefined : one)));
  values.sort(compareTuples);
  return values.filter(
    (tuple, index) => index === 0 || compareTuples(values[index - 1] as unknown[], tuple) !== 0,
  );
}

function compareTuples(a: readonly unknown[], b: readonly unknown[]): number {
  for (let index = 0; index < a.length; index += 1) {
    const order = compareBson(a[index], b[index]);
    if (order !== 0) return order;
  }
  return 0;
}
