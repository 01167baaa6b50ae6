import { recently } from "./cached-lookup.ts";
import type { Labels, Metric, Named } from "./metric.ts";

/** Whoever knows better says so: the newest value is what is told. */
export interface Gauge {
  value: number;
}

export function createGauge(exported: Metric[], { name, help }: Named): Gauge {
  const gauge: Gauge = { value: 0 };
  exported.push({ name, help, kind: "gauge", read: () => [[{}, gauge.value]] });
  return gauge;
}

/** A gauge whose values are looked up when somebody asks; what cannot be known now is not told. */
export function gaugeOnScrape(
  exported: Metric[],
  { name, help }: Named,
  look: () => Promise<readonly (readonly [Labels, number])[]>,
): void {
  const found = recently(look);
  exported.push({ name, help, kind: "gauge", read: async () => found().catch(() => []) });
}
