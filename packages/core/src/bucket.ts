import type { Id } from "./id.ts";

/** Workers of what is due take disjoint shares of this many. */
export const bucketCount = 64;

/** The last byte of an id counts up with every one that a process makes: it spreads evenly. */
export function bucketOf(id: Id | string): number {
  return Number.parseInt(id.slice(-2), 16) % bucketCount;
}
