import type { Buffer } from "node:buffer";
import type { Interval } from "./bounds.ts";
import type { IndexTable } from "../storage/index-table.ts";

/** A stretch of an index: keys from `low` up to but not including `high`. */
export type KeyRange = {
  readonly low: Buffer;
  readonly high: Buffer;
  /** Bytes that fix the fields before the sort; ranges are merged by what follows them. */
  readonly prefixBytes: number;
};

/** Further elements that an array must hold. */
export type OtherElements = {
  /** The document stands under these keys too, each in place of the first bytes of its own. */
  readonly prefixes: readonly Buffer[];
  readonly prefixBytes: number;
};

export type IndexPlan = {
  readonly kind: "index";
  readonly index: IndexTable;
  /** In ascending order and without overlaps. */
  readonly ranges: readonly KeyRange[];
  readonly descending: boolean;
  /** The ranges must be read side by side to give the order of the sort. */
  readonly merged: boolean;
  readonly sorted: boolean;
  /** What is looked up in the index for each key of the ranges, when an array has several conditions. */
  readonly others: OtherElements | undefined;
  /** Everything the filter says is in the ranges and in those others. */
  readonly exact: boolean;
  /** A document may stand in the ranges more than once. */
  readonly repeats: boolean;
  /** At most one document is in each range: the index is unique and every field is fixed. */
  readonly points: boolean;
  /** For each field, as `explain` shows it. */
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
