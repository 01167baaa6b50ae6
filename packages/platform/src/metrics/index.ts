export { cacheLookup } from "./cached-lookup.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  createCounter,
  createGauge,
  createHistogram,
  gaugeOnScrape,
} from "./instruments.ts";
export type { Metric } from "./metric.ts";
export { createMetrics, type Metrics } from "./service-metrics.ts";
