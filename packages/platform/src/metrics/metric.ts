/** What tells one series of a metric from another. Never an id: each combination stays in memory. */
export type Labels<Label extends string = string> = Readonly<Record<Label, string | number>>;

export interface Named<Label extends string = never> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

/** How often something fell between which boundaries; the last count is of what is above them all. */
export interface Distribution {
  readonly boundaries: readonly number[];
  readonly counts: number[];
  count: number;
  sum: number;
}

type Read<Value> = readonly (readonly [Labels, Value])[];

/** Something that a process exports, read when somebody asks. */
export type Metric = Pick<Named, "name" | "help"> &
  (
    | { readonly kind: "counter" | "gauge"; read(): Read<number> | Promise<Read<number>> }
    | { readonly kind: "histogram"; read(): Read<Distribution> }
  );
