import { countDeadLetters, createCounter, gaugeOnScrape, type Service } from "@malipo/platform";

/** What whoever is on duty has to know of the edge. */
export function createGatewayMetrics({ metrics, wire, config }: MetricsService) {
  gaugeOnScrape(
    metrics.exported,
    {
      name: "malipo_dead_letters",
      help: "Events that a handler refused too often and that nobody has replayed",
    },
    async () => [[{}, await countDeadLetters(wire.nats, config.NAMESPACE)]],
  );
  return {
    limits: countLimits(metrics),
    keys: createCounter(metrics.exported, {
      name: "malipo_idempotency_total",
      help: "Requests with a key by what became of them: claimed, answered, running, mismatch",
      labelNames: ["outcome"],
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

/** Plain numbers, for every request passes here; they are read when somebody asks. */
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
