import type { Buffer } from "node:buffer";
import type { Interval } from "./bounds.ts";
import type { IndexTable } from "../storage/collections/index-table.ts";

/** A range of an index: the keys from `low` (inclusive) to `high` (exclusive). */
export type KeyRange = {
  readonly low: Buffer;
  readonly high: Buffer;
  /**
   * Length of the prefix that fixes the fields before the sort. Ranges are merged by the bytes
   * after it.
   */
  readonly prefixBytes: number;
};

/** Further elements that the array of a matching document must contain. */
export type RequiredElements = {
  /**
   * For each element: the prefix that replaces the first `prefixBytes` of a key. The index must
   * contain the resulting key for the same document.
   */
  readonly prefixes: readonly Buffer[];
  readonly prefixBytes: number;
};

export type IndexPlan = {
  readonly kind: "index";
  readonly index: IndexTable;
  /** Ascending, without overlaps. */
  readonly ranges: readonly KeyRange[];
  readonly descending: boolean;
  /** The ranges must be merged to give the order of the sort. */
  readonly merged: boolean;
  readonly sorted: boolean;
  /** Set if an array has several conditions: looked up in the index for each key of the ranges. */
  readonly requiredElements: RequiredElements | undefined;
  /** The ranges and the required elements express the whole filter. */
  readonly exact: boolean;
  /** The ranges may contain several keys of one document. */
  readonly mayRepeatDocuments: boolean;
  /** Each range holds at most one document: the index is unique and every field is fixed. */
  readonly isUniqueLookup: boolean;
  /** The bounds of each field, for `explain`. */
  readonly bounds: readonly (readonly Interval[])[];
};

export type TablePlan = {
  readonly kind: "table";
  /** The sort is `{ $natural: … }`. */
  readonly sorted: boolean;
  readonly descending: boolean;
  readonly exact: boolean;
};

type UnionPlan = {
  readonly kind: "union";
  readonly branches: readonly IndexPlan[];
  readonly sorted: false;
  readonly exact: false;
};

export type Plan = IndexPlan | TablePlan | UnionPlan;

export type SortField = { readonly path: string; readonly descending: boolean };
