import type { Labels, Metric, Named } from "./metric.ts";
import { createSeries } from "./series.ts";

export interface Counter<Label extends string = never> {
  /** By 0, a series begins: what first appears as 1 has not increased. */
  inc(labels: Labels<Label>, by?: number): void;
}

export function createCounter<Label extends string = never>(
  exported: Metric[],
  { name, help, labelNames = [] }: Named<Label>,
): Counter<Label> {
  const series = createSeries(labelNames, () => ({ count: 0 }));
  exported.push({
    name,
    help,
    kind: "counter",
    read: () => series.all.map(([labels, { count }]) => [labels, count]),
  });
  return {
    inc: (labels, by = 1) => {
      series.of(labels).count += by;
    },
  };
}
