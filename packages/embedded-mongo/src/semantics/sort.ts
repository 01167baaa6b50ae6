import { MongoError } from "../errors.ts";
import { indexTuples } from "./index-values.ts";
import { compareBson } from "./values/comparison/compare.ts";
import { type Document, fieldName, getField, isDocument } from "./values/document.ts";
import { isNumber, toDouble } from "./values/numbers/numbers.ts";
import { parsePath } from "./values/paths.ts";

export type SortField = { readonly path: string; readonly direction: 1 | -1 };

const fieldsMax = 32;

export function parseSort(sort: Document): SortField[] {
  const fields = Object.keys(sort).map((key): SortField => {
    const path = fieldName(key);
    if (path === "")
      throw new MongoError("FailedToParse", "FieldPath cannot be constructed with empty string");
    if (path.startsWith("$")) {
      throw new MongoError(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
      );
    }
    if (path.split(".").includes(""))
      throw new MongoError(15998, "FieldPath field names may not be empty strings.");
    return { path, direction: parseDirection(sort[key]) };
  });
  if (fields.length > fieldsMax)
    throw new MongoError("BadValue", `too many compound keys: at most ${fieldsMax}`);
  return fields;
}

function parseDirection(value: unknown): 1 | -1 {
  const direction = isNumber(value) ? toDouble(value) : undefined;
  if (direction === 1 || direction === -1) return direction;
  if (isDocument(value)) {
    const [operator] = Object.keys(value);
    throw new MongoError(
      "BadValue",
      `sorting by ${operator ?? "a document"} is not supported by this server`,
    );
  }
  if (direction === undefined) throw new MongoError(15974, `Illegal key in $sort specification`);
  throw new MongoError(
    15975,
    "$sort key ordering must be 1 (for ascending) or -1 (for descending)",
  );
}

/** The sort values of a document, computed once. Compare them with `compareKeys`. */
export type SortKey = readonly unknown[];

export type Sort = {
  readonly keyOf: (document: Document) => SortKey;
  readonly compareKeys: (a: SortKey, b: SortKey) => number;
};

/**
 * An array sorts by its smallest element when ascending and by its largest when descending, which
 * is the first entry that an index on the same fields would give. A missing field sorts as null, an
 * empty array below null.
 */
export function compileSortKeys(sort: Document): Sort {
  const fields = parseSort(sort);
  const paths = fields.map((field) => field.path);
  const keys = paths.map((path) => parsePath(path).keys);
  const compareKeys = (a: SortKey, b: SortKey): number => {
    for (let index = 0; index < fields.length; index += 1) {
      const order = compareBson(a[index], b[index]);
      if (order !== 0) return (fields[index] as SortField).direction * order;
    }
    return 0;
  };
  const keyOf = (document: Document): SortKey => {
    const key: unknown[] = [];
    for (const path of keys) {
      const value = path.length === 1 ? getField(document, path[0] as string) : undefined;
      if (path.length > 1 || Array.isArray(value)) return firstEntry(document, paths, compareKeys);
      key.push(value === undefined ? null : value);
    }
    return key;
  };
  return { keyOf, compareKeys };
}

function firstEntry(
  document: Document,
  paths: readonly string[],
  compareKeys: (a: SortKey, b: SortKey) => number,
): SortKey {
  let entries: unknown[][];
  try {
    entries = indexTuples(document, paths);
  } catch (error) {
    if (!(error instanceof MongoError) || error.code !== 171) throw error;
    throw new MongoError("BadValue", "cannot sort with keys that are parallel arrays");
  }
  return entries.reduce((first, entry) => (compareKeys(entry, first) < 0 ? entry : first));
}

export function compileSort(sort: Document): (a: Document, b: Document) => number {
  const { keyOf, compareKeys } = compileSortKeys(sort);
  return (a, b) => compareKeys(keyOf(a), keyOf(b));
}

/** Sorts stably. The key of each document is computed once. */
export function sortDocuments(documents: Iterable<Document>, sort: Document): Document[] {
  const { keyOf, compareKeys } = compileSortKeys(sort);
  return Array.from(documents, (document) => ({ document, key: keyOf(document) }))
    .toSorted((a, b) => compareKeys(a.key, b.key))
    .map((keyed) => keyed.document);
}
