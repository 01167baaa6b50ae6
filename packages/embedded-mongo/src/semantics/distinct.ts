import { compareBson } from "./values/comparison/compare.ts";
import { type Document, getField, isDocument } from "./values/document.ts";
import { parsePath, type Path } from "./values/paths.ts";

/** The distinct values of a field in BSON order. An array counts as its elements. */
export function distinctValues(documents: Iterable<Document>, field: string): unknown[] {
  const values: unknown[] = [];
  const path = parsePath(field);
  for (const document of documents) collect(document, path, 0, values);
  values.sort(compareBson);
  return values.filter(
    (value, index) => index === 0 || compareBson(values[index - 1], value) !== 0,
  );
}

function collect(value: unknown, path: Path, from: number, values: unknown[]): void {
  const atEnd = from === path.keys.length;
  if (Array.isArray(value)) {
    for (const element of value as unknown[]) {
      if (atEnd) values.push(element);
      else if (isDocument(element)) collect(element, path, from, values);
    }
    const position = path.positions[from] ?? -1;
    if (position >= 0) collect(value[position], path, from + 1, values);
  } else if (atEnd) {
    if (value !== undefined) values.push(value);
  } else if (isDocument(value)) {
    collect(getField(value, path.keys[from] as string), path, from + 1, values);
  }
}
