import type { Clock } from "@malipo/core";

export interface SettableClock {
  readonly now: Clock;
  set(moment: Date): void;
  advance(ms: number): void;
}

/** A clock that stands still until it is set or advanced. */
export function settableClock(start: Date): SettableClock {
  let moment = start.getTime();
  return {
    now: () => new Date(moment),
    set: (to) => {
      moment = to.getTime();
    },
    advance: (ms) => {
      moment += ms;
    },
  };
}
