import {
  type Counter,
  countDeadLetters,
  createCounter,
  gaugeOnScrape,
  type Service,
} from "@malipo/platform";

export interface LimitCounts {
  allowed: number;
  refused: number;
  allowance: number;
}

export interface GatewayMetrics {
  readonly limits: LimitCounts;
  readonly idempotencyKeys: Counter<"outcome">;
}

export function createGatewayMetrics({
  metrics,
  wire,
  config,
}: Pick<Service, "metrics" | "wire" | "config">): GatewayMetrics {
  gaugeOnScrape(
    metrics.exported,
    {
      name: "malipo_dead_letters",
      help: "Events in the dead-letter stream that were not replayed yet",
    },
    async () => [[{}, await countDeadLetters(wire.nats, config.NAMESPACE)]],
  );
  return {
    limits: countLimits(metrics),
    idempotencyKeys: createCounter(metrics.exported, {
      name: "malipo_idempotency_total",
      help: "Requests with a key by outcome: claimed, answered, running, mismatch",
      labelNames: ["outcome"],
    }),
  };
}

/** Plain numbers, because every request counts here. They are read when the metrics are scraped. */
function countLimits({ exported }: Service["metrics"]): LimitCounts {
  const counts: LimitCounts = { allowed: 0, refused: 0, allowance: 0 };
  exported.push({
    name: "malipo_rate_limit_total",
    help: "Requests that the plan's limits let through or refused, and leases taken on a local allowance while the store was away",
    kind: "counter",
    read: () => Object.entries(counts).map(([outcome, count]) => [{ outcome }, count]),
  });
  return counts;
}
