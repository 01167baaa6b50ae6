import type { Distribution, Labels, Metric, MetricOptions } from "./metric.ts";
import { createSeries } from "./series.ts";

export interface Histogram<Label extends string = never> {
  observe(labels: Labels<Label>, value: number): void;
}

export function createHistogram<Label extends string = never>(
  exported: Metric[],
  {
    name,
    help,
    labelNames = [],
    boundaries,
  }: MetricOptions<Label> & Pick<Distribution, "boundaries">,
): Histogram<Label> {
  const series = createSeries(labelNames, () => emptyDistribution(boundaries));
  exported.push({ name, help, kind: "histogram", read: () => series.all });
  return {
    observe: (labels, value) => {
      const distribution = series.valueOf(labels);
      let bucket = 0;
      while (value > (boundaries[bucket] ?? Infinity)) bucket += 1;
      distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1;
      distribution.count += 1;
      distribution.sum += value;
    },
  };
}

function emptyDistribution(boundaries: readonly number[]): Distribution {
  const counts = Array.from({ length: boundaries.length + 1 }, () => 0);
  return { boundaries, counts, count: 0, sum: 0 };
}
