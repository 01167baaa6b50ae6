import type { Distribution, Labels, Metric, Named } from "./metric.ts";
import { createSeries } from "./series.ts";

export interface Histogram<Label extends string = never> {
  observe(labels: Labels<Label>, value: number): void;
}

export function createHistogram<Label extends string = never>(
  exported: Metric[],
  { name, help, labelNames = [], boundaries }: Named<Label> & Pick<Distribution, "boundaries">,
): Histogram<Label> {
  const series = createSeries(labelNames, () => nothingOf(boundaries));
  exported.push({ name, help, kind: "histogram", read: () => series.all });
  return {
    observe: (labels, value) => {
      const distribution = series.of(labels);
      let bucket = 0;
      while (value > (boundaries[bucket] ?? Infinity)) bucket += 1;
      distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1;
      distribution.count += 1;
      distribution.sum += value;
    },
  };
}

function nothingOf(boundaries: readonly number[]): Distribution {
  const counts = Array.from({ length: boundaries.length + 1 }, () => 0);
  return { boundaries, counts, count: 0, sum: 0 };
}
