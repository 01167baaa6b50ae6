import type { Document } from "../document-codec.ts";

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
  /** The specification in the form that `listIndexes` returns. */
  readonly specification: Document;
};

export function indexField(path: string, descending: boolean): IndexField {
  return { path, components: path.split("."), descending };
}

/** The key pattern `{ a: 1, b: -1 }` for errors and explain. */
export function keyPattern(index: IndexDefinition): Document {
  return index.specification["key"] as Document;
}
