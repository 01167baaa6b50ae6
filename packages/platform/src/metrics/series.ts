import type { Labels } from "./metric.ts";

/** The limit of one metric. Further label combinations share one series, as in OpenTelemetry. */
const seriesMax = 1_000;
const overflowLabels: Labels = { otel_metric_overflow: "true" };

interface TreeNode<Value> {
  readonly next: Map<string | number, TreeNode<Value>>;
  value?: Value;
}

export interface Series<Label extends string, Value> {
  /** The value of this label combination; the first call creates it. */
  valueOf(labels: Labels<Label>): Value;
  readonly all: readonly (readonly [Labels, Value])[];
}

/**
 * One value for each combination of labels, in a tree with one level for each label. Every request
 * looks up several values: one key built from all labels would take three times as long.
 */
export function createSeries<Label extends string, Value extends object>(
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
