export { recently } from "./cached-lookup.ts";
export { type Counter, createCounter } from "./counter.ts";
export { createGauge, type Gauge, gaugeOnScrape } from "./gauge.ts";
export { createHistogram, type Histogram } from "./histogram.ts";
export type { Metric } from "./metric.ts";
export { createMetrics, type Metrics } from "./service-metrics.ts";
