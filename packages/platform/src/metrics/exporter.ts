import { type HrTime, ValueType } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import type { Metric } from "./metric.ts";
import { measureNode } from "./node-metrics.ts";

/**
 * OpenTelemetry's exporter, without a server of its own. It tells what Node's instruments say, and
 * what we have counted: as a producer's metrics, so that a gauge which nobody could look up is left
 * out. The SDK's own instruments would repeat its last value for ever.
 */
export function openExporter(service: string, exported: readonly Metric[]): PrometheusExporter {
  const resource = resourceFromAttributes({ service });
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
  measureNode(new MeterProvider({ resource, readers: [exporter] }).getMeter("node"));
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
