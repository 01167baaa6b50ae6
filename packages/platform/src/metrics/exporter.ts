import { type HrTime, ValueType } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, DataPointType, type MetricData } from "@opentelemetry/sdk-metrics";
import { startTelemetry } from "../telemetry/index.ts";
import type { Metric } from "./metric.ts";
import { measureNode } from "./node-metrics.ts";

/**
 * OpenTelemetry's Prometheus exporter; the health server answers for it. Node's metrics are
 * instruments of the SDK. Ours join as a metric producer, for two reasons: a counter and a histogram
 * cost 0.10 µs together instead of 1.03 µs, and a gauge whose lookup fails is left out, where an
 * instrument of the SDK would repeat its last value.
 */
export function openExporter(service: string, exported: readonly Metric[]): PrometheusExporter {
  const attributes = { service };
  const resource = resourceFromAttributes(attributes);
  const scope = { name: "malipo" };
  const collect = async () => {
    const metrics = await Promise.all(exported.map(readMetric));
    return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
  };
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
    withResourceConstantLabels: /^service$/,
    metricProducers: [{ collect }],
  });
  const { meter } = startTelemetry({
    service,
    attributes,
    sdk: { autoDetectResources: false, metricReaders: [exporter], spanProcessors: [] },
  });
  measureNode(meter);
  return exporter;
}

async function readMetric(metric: Metric): Promise<MetricData> {
  const common = {
    descriptor: {
      name: metric.name,
      description: metric.help,
      unit: "",
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const [startTime, endTime] = [hrTime(performance.timeOrigin), hrTime(Date.now())];
  if (metric.kind === "histogram") {
    const dataPoints = metric.read().map(([attributes, { boundaries, counts, count, sum }]) => {
      const buckets = { boundaries: [...boundaries], counts: [...counts] };
      return { attributes, startTime, endTime, value: { buckets, count, sum } };
    });
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const read = await metric.read();
  const dataPoints = read.map(([attributes, value]) => ({ attributes, startTime, endTime, value }));
  return metric.kind === "counter"
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

function hrTime(atMs: number): HrTime {
  return [Math.trunc(atMs / 1_000), Math.round((atMs % 1_000) * 1e6)];
}
