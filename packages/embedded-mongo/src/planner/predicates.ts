import type { Interval } from "./bounds.ts";

/** One condition on one path. A matching document has a key in at least one of the intervals. */
export type Predicate = {
  readonly path: string;
  readonly intervals: readonly Interval[];
  /** In documents without arrays, the intervals contain exactly the matching values. */
  readonly exact: boolean;
  /** A document without the field cannot match. */
  readonly requiresField: boolean;
  /** 0 for none. All conditions of a group are on the same array element. */
  readonly group: number;
  /** The dotted path must not be null. An empty array on the path is not null, but its key is. */
  readonly notNull?: boolean;
};

export type Predicates = {
  readonly all: readonly Predicate[];
  /** One list per `$or`. At least one alternative of each list must match. */
  readonly alternatives: readonly (readonly Predicates[])[];
  /** Whether `all` expresses the whole filter. */
  readonly isComplete: boolean;
};
