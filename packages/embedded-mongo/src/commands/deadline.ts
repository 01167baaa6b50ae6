import { MongoError } from "../errors.ts";

/** How long a command may work; the time a cursor waits for its client does not count. */
export type Deadline = {
  readonly check: () => void;
  readonly suspend: () => void;
};

const noDeadline: Deadline = { check: () => undefined, suspend: () => undefined };

export function timeLimitExceeded(): MongoError {
  return new MongoError("MaxTimeMSExpired", "operation exceeded time limit");
}

const checksBetweenLooks = 64;

/** For `maxTimeMS`: the clock is looked at every so many rows. */
export function deadlineAfter(milliseconds: number | undefined, from: number): Deadline {
  if (milliseconds === undefined || milliseconds === 0) return noDeadline;
  let end = from + milliseconds;
  let left: number | undefined;
  let checks = 0;
  return {
    check: () => {
      if (checks++ % checksBetweenLooks !== 0) return;
      const now = performance.now();
      if (left !== undefined) {
        end = now + left;
        left = undefined;
      }
      if (now > end) throw timeLimitExceeded();
    },
    suspend: () => {
      left = Math.max(1, end - performance.now());
      checks = 0;
    },
  };
}
