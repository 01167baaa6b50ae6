import type { Document } from "../bson/values.ts";

export type IndexField = {
  readonly path: string;
  readonly components: readonly string[];
  readonly descending: boolean;
};

export type IndexDefinition = {
  readonly id: number;
  readonly name: string;
  readonly fields: readonly IndexField[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilter: Document | undefined;
  readonly ttlSeconds: number | undefined;
  /** As `listIndexes` shows it. */
  readonly specification: Document;
};

export function indexField(path: string, descending: boolean): IndexField {
  return { path, components: path.split("."), descending };
}

/** `{ a: 1, b: -1 }`, as errors and explain show the key. */
export function keyPattern(index: IndexDefinition): Document {
  return index.specification["key"] as Document;
}
