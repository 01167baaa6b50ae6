import { gaugeOnScrape, recently, type Service } from "@malipo/platform";
import { Counter, Gauge } from "prom-client";
import type { SuspenseList } from "./suspense-list.ts";

/** What whoever is on duty has to know of payments. */
export function createPaymentMetrics({ metrics }: Pick<Service, "metrics">) {
  const registers = [metrics.registry];
  const created = {
    outcomes: new Counter({
      name: "malipo_payments_total",
      help: "Payments by outcome: completed, failed, cancelled",
      labelNames: ["outcome"] as const,
      registers,
    }),
    prompts: new Counter({
      name: "malipo_prompts_total",
      help: "Requests to the provider by its answer: accepted, refused, not sent, unknown",
      labelNames: ["answer"] as const,
      registers,
    }),
    queries: new Counter({
      name: "malipo_payment_queries_total",
      help: "Status queries by their answer: paid, declined, pending, unanswered",
      labelNames: ["answer"] as const,
      registers,
    }),
    unresolved: new Counter({
      name: "malipo_payments_unresolved_total",
      help: "Payments of which nobody ever said what became of them: somebody has to look",
      registers,
    }),
    surprises: new Counter({
      name: "malipo_payment_surprises_total",
      help: "Payments completed after they had failed (overturned), and failures told of completed ones (contradicted)",
      labelNames: ["kind"] as const,
      registers,
    }),
    shillings: new Counter({
      name: "malipo_payments_shillings_total",
      help: "Shillings of payments that were completed",
      registers,
    }),
    queryLagSeconds: new Gauge({
      name: "malipo_payment_query_lag_seconds",
      help: "How late the oldest payment is that has to be looked at",
      registers,
    }),
  };
  // What first appears as 1 has not increased.
  for (const kind of ["overturned", "contradicted"]) created.surprises.inc({ kind }, 0);
  return created;
}

export type PaymentMetrics = ReturnType<typeof createPaymentMetrics>;

/** Money that came and matches nothing: looked up when somebody asks. */
export function measureSuspense(
  { metrics: { registry } }: Pick<Service, "metrics">,
  suspense: Pick<SuspenseList, "open">,
): void {
  const look = recently(() => suspense.open());
  gaugeOnScrape(
    registry,
    {
      name: "malipo_suspense_open",
      help: "How often money came and matches nothing: somebody has to assign it",
    },
    async () => [[{}, (await look()).count]],
  );
  gaugeOnScrape(
    registry,
    { name: "malipo_suspense_shillings", help: "How much money that is, where it is known" },
    async () => [[{}, (await look()).shillings]],
  );
}
