export type Summary = {
  readonly median: number;
  /** The distance between the lowest and the highest value, as a share of the median. */
  readonly spread: number;
};

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError("no values to summarise");
  return (lower + upper) / 2;
}

export function summarise(values: readonly number[]): Summary {
  const middle = median(values);
  const range = Math.max(...values) - Math.min(...values);
  return { median: middle, spread: middle === 0 ? 0 : range / Math.abs(middle) };
}

/**
 * Combines what two contenders did in the same round, round by round. A machine that drifts between
 * rounds moves both, so the summary of the pairs is steadier than a comparison of two medians.
 */
export function summarisePairs(
  left: readonly number[],
  right: readonly number[],
  combine: (left: number, right: number) => number,
): Summary {
  if (left.length !== right.length) throw new RangeError("the rounds do not pair up");
  return summarise(left.map((value, round) => combine(value, right[round] ?? Number.NaN)));
}

export const ratio = (left: number, right: number): number => left / right;
export const difference = (left: number, right: number): number => left - right;
