import { recently } from "./cached-lookup.ts";
import type { Labels, Metric, MetricOptions } from "./metric.ts";

/** A value that its owner sets; a scrape reads the newest one. */
export interface Gauge {
  value: number;
}

export function createGauge(exported: Metric[], { name, help }: MetricOptions): Gauge {
  const gauge: Gauge = { value: 0 };
  exported.push({ name, help, kind: "gauge", read: () => [[{}, gauge.value]] });
  return gauge;
}

/** A gauge whose values are looked up on a scrape. A failed lookup leaves it out of that scrape. */
export function gaugeOnScrape(
  exported: Metric[],
  { name, help }: MetricOptions,
  lookup: () => Promise<readonly (readonly [Labels, number])[]>,
): void {
  const find = recently(lookup);
  exported.push({ name, help, kind: "gauge", read: async () => find().catch(() => []) });
}
