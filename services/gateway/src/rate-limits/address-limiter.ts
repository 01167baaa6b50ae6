import { minuteMs } from "@malipo/core";
import type { Decision } from "../domain/rate-limit/credential-limits.ts";
import { startOf, type Window } from "../domain/rate-limit/windows.ts";

const addressesMax = 10_000;

interface Count {
  readonly startMs: number;
  readonly count: number;
}

/** Who tries secrets or codes is slowed down by address. Kept in memory, bounded, each gateway for itself. */
export interface AddressLimiter {
  peek(address: string): Decision;
  /** Counts one; the answer says whether it was one too many. */
  note(address: string): Decision;
}

export function createAddressLimiter(nowMs: () => number, limit: number): AddressLimiter {
  const window: Window = { name: "address", lengthMs: minuteMs, limit };
  const counts = new Map<string, Count>();

  function countOf(address: string): Count {
    const startMs = startOf(window, nowMs());
    const known = counts.get(address);
    return known?.startMs === startMs ? known : { startMs, count: 0 };
  }

  return {
    peek: (address) => decisionOf(window, countOf(address)),
    note(address) {
      const { startMs, count } = countOf(address);
      counts.delete(address);
      const [oldest] = counts.keys();
      if (counts.size >= addressesMax && oldest !== undefined) counts.delete(oldest);
      counts.set(address, { startMs, count: count + 1 });
      return decisionOf(window, { startMs, count: count + 1 });
    },
  };
}

function decisionOf({ limit, lengthMs }: Window, { startMs, count }: Count): Decision {
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    resetMs: startMs + lengthMs,
  };
}
