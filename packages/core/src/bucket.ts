import type { Id } from "./id.ts";

/** Due records are divided into this many buckets, so that each worker takes its own buckets. */
export const bucketCount = 64;

/** Uses the last byte of an ObjectId: a process counts it up for every new id, so it spreads evenly. */
export function bucketOf(id: Id | string): number {
  return Number.parseInt(id.slice(-2), 16) % bucketCount;
}
