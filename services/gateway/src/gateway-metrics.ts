import { countDeadLetters, gaugeOnScrape, type Service } from "@malipo/platform";
import { Counter } from "prom-client";

/** What whoever is on duty has to know of the edge. */
export function createGatewayMetrics({ metrics, wire, config }: MetricsService) {
  const registers = [metrics.registry];
  gaugeOnScrape(
    metrics.registry,
    {
      name: "malipo_dead_letters",
      help: "Events that a handler refused too often and that nobody has replayed",
    },
    async () => [[{}, await countDeadLetters(wire.nats, config.NAMESPACE)]],
  );
  return {
    limits: countLimits(metrics),
    keys: new Counter({
      name: "malipo_idempotency_total",
      help: "Requests with a key by what became of them: claimed, answered, running, mismatch",
      labelNames: ["outcome"] as const,
      registers,
    }),
  };
}

type MetricsService = Pick<Service, "metrics" | "wire" | "config">;

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

/** How often the plan's limits said what. */
export interface LimitCounts {
  allowed: number;
  refused: number;
  allowance: number;
}

/** Counted as plain numbers, for every request passes here; the counter learns of them when asked. */
function countLimits({ registry }: Service["metrics"]): LimitCounts {
  const counts: LimitCounts = { allowed: 0, refused: 0, allowance: 0 };
  const limits = new Counter({
    name: "malipo_rate_limit_total",
    help: "Requests that the plan's limits let through or refused, and leases taken on a local allowance while the store was away",
    labelNames: ["outcome"] as const,
    registers: [],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count);
    },
  });
  registry.registerMetric(limits);
  return counts;
}
