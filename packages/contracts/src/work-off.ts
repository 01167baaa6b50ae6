import { bucketCount } from "@malipo/core";
import { z } from "zod";
import { call } from "./call.ts";
import { timestamp } from "./fields.ts";
import type { ServiceName } from "./route.ts";

const count = z.int().min(0);

/** What became of a step: every record that was found due is in one of the counts. */
const workedOff = z.object({
  found: count,
  done: count,
  /** Put off with a growing delay, or set aside with its reason. */
  failed: count,
  /** Not to be had yet, or others were there first. */
  skipped: count,
  /** When the oldest of them was due. */
  oldest: timestamp.nullable(),
  /** Whether there may be more that is due in these buckets. */
  more: z.boolean(),
});

export type WorkedOff = z.infer<typeof workedOff>;

const bucket = z
  .int()
  .min(0)
  .max(bucketCount - 1);

const share = z.object({
  buckets: z.array(bucket).min(1).max(bucketCount),
  limit: z.int().min(1).max(1_000),
  /** What is not begun by then is left for the next step. */
  until: timestamp,
});

/** A bounded share of what is due; the scheduler asks its owner again while there is more. */
export function workOffCall<Service extends ServiceName>(service: Service, verb: string) {
  return call({
    service,
    verb,
    askedBy: ["scheduler"],
    effect: "writes",
    body: share,
    data: workedOff,
  });
}
