import type { Labels } from "./metric.ts";

/** So many for one metric; what comes beyond them shares one, under OpenTelemetry's name for it. */
const seriesMax = 1_000;
const overflowLabels: Labels = { otel_metric_overflow: "true" };

interface Branch<Value> {
  readonly next: Map<string | number, Branch<Value>>;
  value?: Value;
}

export interface Series<Label extends string, Value> {
  of(labels: Labels<Label>): Value;
  readonly all: readonly (readonly [Labels, Value])[];
}

/**
 * One value for each combination of labels. They are found by one look-up for each label, for this
 * is on the way of every request: a key made of all of them takes three times as long.
 */
export function createSeries<Label extends string, Value extends object>(
  labelNames: readonly Label[],
  create: () => Value,
): Series<Label, Value> {
  const root: Branch<Value> = { next: new Map() };
  const all: (readonly [Labels, Value])[] = [];
  let overflow: Value | undefined;

  function begin(labels: Labels): Value {
    const value = create();
    all.push([labels, value]);
    return value;
  }

  function beginAt(labels: Labels<Label>): Value {
    if (all.length >= seriesMax) return (overflow ??= begin(overflowLabels));
    let branch = root;
    for (const name of labelNames) {
      const next = branch.next.get(labels[name]) ?? { next: new Map() };
      branch.next.set(labels[name], next);
      branch = next;
    }
    return (branch.value = begin({ ...labels }));
  }

  // What has no labels is there from the start, at nought.
  if (labelNames.length === 0) beginAt({} as Labels<Label>);

  return {
    of: (labels) => {
      let branch: Branch<Value> | undefined = root;
      for (const name of labelNames) branch = branch?.next.get(labels[name]);
      return branch?.value ?? beginAt(labels);
    },
    all,
  };
}
