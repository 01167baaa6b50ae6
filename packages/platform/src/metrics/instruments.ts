import { cacheLookup } from "./cached-lookup.ts";
import type { Distribution, Labels, Metric, MetricOptions } from "./metric.ts";

/** The limit of one metric. Further label combinations share one series, as in OpenTelemetry. */
const seriesMax = 1_000;
const overflowLabels: Labels = { otel_metric_overflow: "true" };

interface TreeNode<Value> {
  readonly next: Map<string | number, TreeNode<Value>>;
  value?: Value;
}

interface Series<Label extends string, Value> {
  /** The value of this label combination; the first call creates it. */
  valueOf(labels: Labels<Label>): Value;
  readonly all: readonly (readonly [Labels, Value])[];
}

/**
 * One value for each combination of labels, in a tree with one level for each label. Every request
 * looks up several values: one key built from all labels would take three times as long.
 */
function createSeries<Label extends string, Value extends object>(
  labelNames: readonly Label[],
  create: () => Value,
): Series<Label, Value> {
  const root: TreeNode<Value> = { next: new Map() };
  const all: (readonly [Labels, Value])[] = [];
  let overflow: Value | undefined;

  function add(labels: Labels): Value {
    const value = create();
    all.push([labels, value]);
    return value;
  }

  function createAt(labels: Labels<Label>): Value {
    if (all.length >= seriesMax) return (overflow ??= add(overflowLabels));
    let node = root;
    for (const name of labelNames) {
      const next = node.next.get(labels[name]) ?? { next: new Map() };
      node.next.set(labels[name], next);
      node = next;
    }
    return (node.value = add({ ...labels }));
  }

  // A metric without labels is exported as 0 from the start.
  if (labelNames.length === 0) createAt({} as Labels<Label>);

  return {
    valueOf: (labels) => {
      let node: TreeNode<Value> | undefined = root;
      for (const name of labelNames) node = node?.next.get(labels[name]);
      return node?.value ?? createAt(labels);
    },
    all,
  };
}

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
  const find = cacheLookup(lookup);
  exported.push({ name, help, kind: "gauge", read: async () => find().catch(() => []) });
}
