import { bucketCount } from "@malipo/core";
import { z } from "zod";
import { call } from "../definition/call.ts";
import { timestamp } from "../definition/fields.ts";
import type { ServiceName } from "../definition/service-name.ts";

const count = z.int().min(0);

/** The result of one step. Each due record that was found is in exactly one of the counts. */
const processDueResult = z.object({
  found: count,
  done: count,
  /** Retried later with a growing delay, or parked with a reason. */
  failed: count,
  /** Not ready yet, or processed by another worker first. */
  skipped: count,
  /** The due date of the oldest of them. */
  oldest: timestamp.nullable(),
  /** Whether these buckets may have more due records. */
  more: z.boolean(),
});

export type ProcessDueResult = z.infer<typeof processDueResult>;

const bucket = z
  .int()
  .min(0)
  .max(bucketCount - 1);

const processDueBatch = z.object({
  buckets: z.array(bucket).min(1).max(bucketCount),
  limit: z.int().min(1).max(1_000),
  /** The step starts no record after this time; the next step processes the rest. */
  until: timestamp,
});

/** Processes a bounded batch of the due records in some buckets. The scheduler repeats it while there is more. */
export function processDueCall<Service extends ServiceName>(service: Service, verb: string) {
  return call({
    service,
    verb,
    callers: ["scheduler"],
    effect: "writes",
    body: processDueBatch,
    data: processDueResult,
  });
}
