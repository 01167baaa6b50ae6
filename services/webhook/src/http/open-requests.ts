import type { Exchange } from "./exchange.ts";

/** Requests under way. One timer watches over all: each has as long as the others, so the first is the oldest. */
export interface UnderWay {
  add(exchange: Exchange): void;
  delete(exchange: Exchange): void;
  breakOff(reason: Error): void;
}

export function createUnderWay(timeoutMs: number, late: () => Error): UnderWay {
  const exchanges = new Set<Exchange>();
  let timer: NodeJS.Timeout | undefined;

  function watch(): void {
    timer = undefined;
    for (const exchange of exchanges) {
      const leftMs = exchange.startedAtMs + timeoutMs - performance.now();
      if (leftMs > 0) {
        timer = setTimeout(watch, leftMs);
        return;
      }
      exchanges.delete(exchange);
      exchange.breakOff(late());
    }
  }

  return {
    add: (exchange) => {
      exchanges.add(exchange);
      timer ??= setTimeout(watch, timeoutMs);
    },
    delete: (exchange) => exchanges.delete(exchange),
    breakOff: (reason) => {
      clearTimeout(timer);
      timer = undefined;
      for (const exchange of exchanges) exchange.breakOff(reason);
      exchanges.clear();
    },
  };
}
