import { reconciledEvents, type NewEvent } from "@malipo/contracts";
import { addMs, hourMs, minuteMs } from "@malipo/core";
import { dueIndexOf } from "../mongo/due.ts";
import type { EventfulCollection } from "../outbox/event-document.ts";
import { type ParkedPlace, parkedIndexOf } from "./parked.ts";

/** What was just said is on its way, and a stream takes no message twice within two minutes. */
const graceMs = 10 * minuteMs;
const firstDelayMs = 5 * minuteMs;
const longestDelayMs = 6 * hourMs;
/** So often it is sent again by itself; what is missing still then waits for an operator. */
const resentMax = 8;

/** That another service has made what this record told of is not known yet. */
export interface Comparison {
  /** When it is asked; null when it was in vain too often. */
  readonly at: Date | null;
  /** What was told before that moment is known to have arrived. */
  readonly from: Date;
  /** How often it has been sent again. */
  readonly resent: number;
  readonly parkedat: Date | null;
  readonly reason: string | null;
}

export const compareIndex = dueIndexOf("compare.at", "compare");

const parkedSince = "compare.parkedat";
export const compareParkedIndex = parkedIndexOf(parkedSince, "compare-parked");

/** Those of these records whose other half never appeared. */
export function parkedComparisons(collection: EventfulCollection): ParkedPlace {
  return {
    collection,
    since: parkedSince,
    view: ({ compare }) => ({
      reason: compare.reason,
      tries: compare.resent,
      at: compare.parkedat,
    }),
    revive: (now) => ({ "compare.at": now, "compare.resent": 0, "compare.parkedat": null }),
  };
}

/** Part of the write that tells something of which another service makes a record of its own. */
export function comparedLater(
  news: readonly NewEvent[],
  now: Date,
  before?: Comparison | null,
): { readonly compare?: Comparison } {
  if (!news.some(({ type }) => reconciledEvents.includes(type))) return {};
  const begun = before ?? { at: null, from: now, resent: 0, parkedat: null, reason: null };
  return { compare: { ...begun, at: begun.at ?? addMs(now, graceMs) } };
}

/** It was missing and has been sent again: the next time it is asked for is ever later. */
export function sentAgain(compare: Comparison, reason: string, now: Date): Comparison {
  const resent = compare.resent + 1;
  if (resent >= resentMax) return { ...compare, resent, at: null, parkedat: now, reason };
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (resent - 1));
  return { ...compare, resent, at: addMs(now, delayMs), parkedat: null, reason };
}
