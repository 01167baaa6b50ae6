import { MongoError } from "../errors.ts";
import type { Deadline } from "./command.ts";

const noDeadline: Deadline = { check: () => undefined };

const checksBetweenLooks = 64;

/** For `maxTimeMS`: the clock is looked at every so many rows. */
export function deadlineAfter(milliseconds: number | undefined, from: number): Deadline {
  if (milliseconds === undefined || milliseconds === 0) return noDeadline;
  const end = from + milliseconds;
  let checks = 0;
  return {
    check: () => {
      if (checks++ % checksBetweenLooks === 0 && performance.now() > end) {
        throw new MongoError("MaxTimeMSExpired", "operation exceeded time limit");
      }
    },
  };
}
