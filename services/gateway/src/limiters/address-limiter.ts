import { type Clock, minuteMs } from "@malipo/core";
import { limitKeyOf } from "../domain/client-address.ts";
import { dropOldest } from "../domain/drop-oldest.ts";
import type { LimitDecision } from "../domain/rate-limit/credential-limits.ts";
import { periodStartMs, type Window } from "../domain/rate-limit/windows.ts";

const addressesMax = 10_000;

interface Count {
  readonly startMs: number;
  readonly count: number;
}

/**
 * Limits a client's address by the minute; of IPv6, its /64. Counts are bounded, in memory, and of
 * this gateway alone.
 */
export interface AddressLimiter {
  peek(address: string): LimitDecision;
  /** Counts one; `allowed` is false beyond the limit. */
  count(address: string): LimitDecision;
}

export function createAddressLimiter(clock: Clock, limit: number): AddressLimiter {
  const window: Window = { name: "address", lengthMs: minuteMs, limit };
  const counts = new Map<string, Count>();

  function countOf(key: string, now: number): Count {
    const startMs = periodStartMs(window, now);
    const known = counts.get(key);
    return known?.startMs === startMs ? known : { startMs, count: 0 };
  }

  return {
    peek(address) {
      const now = clock().getTime();
      return decisionOf(window, countOf(limitKeyOf(address), now), now);
    },
    count(address) {
      const key = limitKeyOf(address);
      const now = clock().getTime();
      const before = countOf(key, now);
      const next = { startMs: before.startMs, count: before.count + 1 };
      counts.delete(key);
      dropOldest(counts, addressesMax);
      counts.set(key, next);
      return decisionOf(window, next, now);
    },
  };
}

function decisionOf(
  { limit, lengthMs }: Window,
  { startMs, count }: Count,
  nowMs: number,
): LimitDecision {
  const resetMs = startMs + lengthMs;
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    resetMs,
    waitMs: resetMs - nowMs,
  };
}
