/** A receiver is quick if it is not much slower than all are at the moment, for then it is us. */
const quickShare = 4;
const quickAtLeastMs = 50;
const quickAtMostMs = 500;
/** The last twenty or so count. */
const weight = 0.05;

/** How long receivers take at the moment, all together. */
export interface Pace {
  note(milliseconds: number): void;
  /** No longer does a quick one take. */
  quickMs(): number;
}

export function createPace(): Pace {
  let usualMs = 0;
  return {
    note: (milliseconds) => {
      // A single one that takes very long says nothing about the others.
      usualMs += (Math.min(milliseconds, quickAtMostMs) - usualMs) * weight;
    },
    quickMs: () => Math.min(quickAtMostMs, Math.max(quickAtLeastMs, usualMs * quickShare)),
  };
}
