import type { Exchange } from "./exchange.ts";

/**
 * Requests under way, with one timer for all. Every request has the same timeout, so the oldest one
 * always ends first.
 */
export interface OpenRequests {
  add(exchange: Exchange): void;
  delete(exchange: Exchange): void;
  cancelAll(reason: Error): void;
}

export function createOpenRequests(
  timeoutMs: number,
  uptimeMs: () => number,
  timeoutError: () => Error,
): OpenRequests {
  const startedAtMs = new Map<Exchange, number>();
  let timer: NodeJS.Timeout | undefined;

  function cancelLate(): void {
    timer = undefined;
    for (const [exchange, startMs] of startedAtMs) {
      const leftMs = startMs + timeoutMs - uptimeMs();
      if (leftMs > 0) {
        timer = setTimeout(cancelLate, leftMs);
        return;
      }
      startedAtMs.delete(exchange);
      exchange.cancel(timeoutError());
    }
  }

  return {
    add: (exchange) => {
      startedAtMs.set(exchange, uptimeMs());
      timer ??= setTimeout(cancelLate, timeoutMs);
    },
    delete: (exchange) => startedAtMs.delete(exchange),
    cancelAll: (reason) => {
      clearTimeout(timer);
      timer = undefined;
      for (const exchange of startedAtMs.keys()) exchange.cancel(reason);
      startedAtMs.clear();
    },
  };
}
