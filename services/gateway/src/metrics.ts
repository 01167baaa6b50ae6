import { countDeadLetters, createCounter, gaugeOnScrape, type Service } from "@malipo/platform";
import type { ReserveResult } from "./store/idempotency-keys.ts";

/** The label that `malipo_idempotency_total` has for each result of reserving a key. */
const idempotencyLabels = {
  reserved: "claimed",
  answered: "answered",
  running: "running",
  mismatch: "mismatch",
} as const satisfies Record<ReserveResult["kind"], string>;

export interface LimitCounts {
  allowed: number;
  refused: number;
  allowance: number;
}

export interface GatewayMetrics {
  readonly limits: LimitCounts;
  readonly countIdempotencyOutcome: (kind: ReserveResult["kind"]) => void;
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
  const keys = createCounter(metrics.exported, {
    name: "malipo_idempotency_total",
    help: "Requests with a key by outcome: claimed, answered, running, mismatch",
    labelNames: ["outcome"],
  });
  return {
    limits: countLimits(metrics),
    countIdempotencyOutcome: (kind) => keys.inc({ outcome: idempotencyLabels[kind] }),
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
