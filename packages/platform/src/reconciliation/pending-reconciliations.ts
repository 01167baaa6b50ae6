import { addMs, hourMs, minuteMs } from "@malipo/core";
import { dueIndexOf } from "../mongo/index.ts";
import {
  type EventfulCollection,
  type PendingReconciliation,
  reconciliationFields,
  reconciliationOf,
} from "../outbox/index.ts";
import { type ParkedPlace, parkedIndexOf } from "./parked.ts";

const firstDelayMs = 5 * minuteMs;
const longestDelayMs = 6 * hourMs;
/** After so many resends in vain the record is parked and waits for an operator. */
const resentMax = 8;

const { at: dueAt, resent: resentCount, parkedat: parkedSince } = reconciliationFields;

/** Records with a pending reconciliation, by the time of the next check. */
export const reconciliationIndex = dueIndexOf(dueAt, "compare");
export const parkedReconciliationIndex = parkedIndexOf(parkedSince, "compare-parked");

/** The records of a collection that another service still does not know after all resends. */
export function parkedReconciliations(collection: EventfulCollection): ParkedPlace {
  return {
    collection,
    since: parkedSince,
    view: (document) => {
      const pending = reconciliationOf(document);
      return {
        reason: pending?.reason ?? "",
        tries: pending?.resent ?? 0,
        at: pending?.parkedat ?? new Date(0),
      };
    },
    revive: (now) => ({ [dueAt]: now, [resentCount]: 0, [parkedSince]: null }),
  };
}

/** The next check after a resend. The delay doubles each time, up to six hours. */
export function afterResend(
  pending: PendingReconciliation,
  reason: string,
  now: Date,
): PendingReconciliation {
  const resent = pending.resent + 1;
  if (resent >= resentMax) return { ...pending, resent, at: null, parkedat: now, reason };
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (resent - 1));
  return { ...pending, resent, at: addMs(now, delayMs), parkedat: null, reason };
}
