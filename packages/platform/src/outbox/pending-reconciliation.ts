import { reconciledEvents, type NewEvent } from "@malipo/contracts";
import { addMs, minuteMs } from "@malipo/core";

/**
 * A new event is still on its way, and a stream drops a message that it has seen within the last two
 * minutes. So the first check is later than that.
 */
const graceMs = 10 * minuteMs;

/** A check that another service has made the record that an event of this record asks for. */
export interface PendingReconciliation {
  /** When to check; null after too many checks in vain. */
  readonly at: Date | null;
  /** Events before this moment are known to have arrived. */
  readonly from: Date;
  /** How often the events have been sent again. */
  readonly resent: number;
  readonly parkedat: Date | null;
  readonly reason: string | null;
}

/**
 * The part of a record that holds its check; absent or null when there is nothing to check. This file
 * alone knows the stored name, which stays for the sake of records stored by earlier releases.
 */
export interface ReconciledFields {
  readonly compare?: PendingReconciliation | null;
}

/** The stored fields of a check, for filters, indexes and updates. */
export const reconciliationFields = {
  at: "compare.at",
  resent: "compare.resent",
  parkedat: "compare.parkedat",
} as const;

export function reconciliationOf({ compare }: ReconciledFields): PendingReconciliation | null {
  return compare ?? null;
}

export function storedReconciliation(pending: PendingReconciliation | null): ReconciledFields {
  return { compare: pending };
}

/** The fields to write with new events: a check, if one of the events is to be reconciled. */
export function scheduleReconciliation(
  events: readonly NewEvent[],
  now: Date,
  before?: PendingReconciliation | null,
): ReconciledFields {
  if (!events.some(({ type }) => reconciledEvents.includes(type))) return {};
  const pending = before ?? { at: null, from: now, resent: 0, parkedat: null, reason: null };
  return storedReconciliation({ ...pending, at: pending.at ?? addMs(now, graceMs) });
}
