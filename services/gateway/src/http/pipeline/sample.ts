import { type Clock, secondMs } from "@malipo/core";

/** So many lines of each second are all written. */
const wholeMax = 200;
/** Of the lines after those, one in so many. */
const oneIn = 20;

/**
 * For how many requests the line of this one stands; 0 when it is not written. What is usual is
 * logged whole; a storm is logged in samples, because lines nobody could read cost as much as a
 * tenth of the requests they are about.
 */
export function createSampling(clock: Clock): () => number {
  let second = 0;
  let count = 0;
  return () => {
    const now = Math.floor(clock().getTime() / secondMs);
    if (now !== second) {
      second = now;
      count = 0;
    }
    count += 1;
    if (count <= wholeMax) return 1;
    return (count - wholeMax) % oneIn === 0 ? oneIn : 0;
  };
}
