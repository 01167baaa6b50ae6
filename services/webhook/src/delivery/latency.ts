/** A receiver is quick if it needs at most this many times the average of all receivers. */
const quickFactor = 4;
const quickMinMs = 50;
const quickMaxMs = 500;
/** Weight of one attempt in the moving average: about the last twenty count. */
const weight = 0.05;

/**
 * The current latency of all receivers together. A receiver that is slow while all are slow still
 * counts as quick, because then this machine is the cause.
 */
export interface Latency {
  add(milliseconds: number): void;
  /** A quick receiver answers within this time. */
  quickMs(): number;
}

export function createLatency(): Latency {
  let averageMs = 0;
  return {
    add: (milliseconds) => {
      // One very slow attempt says nothing about the other receivers, so it counts as quickMaxMs.
      averageMs += (Math.min(milliseconds, quickMaxMs) - averageMs) * weight;
    },
    quickMs: () => Math.min(quickMaxMs, Math.max(quickMinMs, averageMs * quickFactor)),
  };
}
