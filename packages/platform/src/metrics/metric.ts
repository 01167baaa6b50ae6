/** The labels of one series. Never an id: each combination of labels stays in memory. */
export type Labels<Label extends string = string> = Readonly<Record<Label, string | number>>;

export interface MetricOptions<Label extends string = never> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

/** The value of a histogram: a count for each bucket; the last bucket is above all boundaries. */
export interface Distribution {
  readonly boundaries: readonly number[];
  readonly counts: number[];
  count: number;
  sum: number;
}

type Samples<Value> = readonly (readonly [Labels, Value])[];

/** A metric of a service; a scrape calls `read`. */
export type Metric = Pick<MetricOptions, "name" | "help"> &
  (
    | { readonly kind: "counter" | "gauge"; read(): Samples<number> | Promise<Samples<number>> }
    | { readonly kind: "histogram"; read(): Samples<Distribution> }
  );
