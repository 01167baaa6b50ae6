import { MongoError } from "./errors.ts";

/** The time limit of a command. The time that a cursor waits for its client does not count. */
export type Deadline = {
  readonly check: () => void;
  readonly pauseClock: () => void;
};

const noDeadline: Deadline = { check: () => undefined, pauseClock: () => undefined };

export function timeLimitExceeded(): MongoError {
  return new MongoError("MaxTimeMSExpired", "operation exceeded time limit");
}

const checksPerClockRead = 64;

/** For `maxTimeMS`. The clock is read only on every 64th check, because checks are made per row. */
export function deadlineAfter(milliseconds: number | undefined, from: number): Deadline {
  if (milliseconds === undefined || milliseconds === 0) return noDeadline;
  let end = from + milliseconds;
  /** Set while the clock is paused. */
  let remainingMs: number | undefined;
  let checks = 0;
  return {
    check: () => {
      if (checks++ % checksPerClockRead !== 0) return;
      const now = performance.now();
      if (remainingMs !== undefined) {
        end = now + remainingMs;
        remainingMs = undefined;
      }
      if (now > end) throw timeLimitExceeded();
    },
    pauseClock: () => {
      remainingMs = Math.max(1, end - performance.now());
      checks = 0;
    },
  };
}
