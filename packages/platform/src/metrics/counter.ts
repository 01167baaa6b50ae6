import type { Labels, Metric, MetricOptions } from "./metric.ts";
import { createSeries } from "./series.ts";

export interface Counter<Label extends string = never> {
  /** Adds 0 to create a series: Prometheus sees no increase in a series that first appears at 1. */
  inc(labels: Labels<Label>, by?: number): void;
}

export function createCounter<Label extends string = never>(
  exported: Metric[],
  { name, help, labelNames = [] }: MetricOptions<Label>,
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
      series.valueOf(labels).count += by;
    },
  };
}
