import {
  createCounter,
  createGauge,
  gaugeOnScrape,
  cacheLookup,
  type Service,
} from "@malipo/platform";
import type { Suspense } from "./store/suspense.ts";

/** The metrics of payments. */
export function createPaymentMetrics({ metrics: { exported } }: Pick<Service, "metrics">) {
  const created = {
    outcomes: createCounter(exported, {
      name: "malipo_payments_total",
      help: "Payments by outcome: completed, failed, cancelled",
      labelNames: ["outcome"],
    }),
    prompts: createCounter(exported, {
      name: "malipo_prompts_total",
      help: "Requests to the provider by its answer: accepted, refused, not sent, unknown",
      labelNames: ["answer"],
    }),
    queries: createCounter(exported, {
      name: "malipo_payment_queries_total",
      help: "Status queries by their answer: paid, declined, pending, unanswered",
      labelNames: ["answer"],
    }),
    unresolved: createCounter(exported, {
      name: "malipo_payments_unresolved_total",
      help: "Payments that failed because no outcome became known in a day: a person must look at them",
    }),
    surprises: createCounter(exported, {
      name: "malipo_payment_surprises_total",
      help: "Payments completed after they had failed (overturned), and failures reported for paid ones (contradicted)",
      labelNames: ["kind"],
    }),
    shillings: createCounter(exported, {
      name: "malipo_payments_shillings_total",
      help: "Shillings of completed payments",
    }),
    queryLagSeconds: createGauge(exported, {
      name: "malipo_payment_query_lag_seconds",
      help: "How late the oldest due payment check is",
    }),
  };
  // A counter that first appears as 1 has not increased, so no alert would fire.
  for (const kind of ["overturned", "contradicted"]) created.surprises.inc({ kind }, 0);
  return created;
}

export type PaymentMetrics = ReturnType<typeof createPaymentMetrics>;

/** Unmatched money, counted when metrics are scraped. */
export function measureSuspense(
  { metrics: { exported } }: Pick<Service, "metrics">,
  suspense: Pick<Suspense, "countOpen">,
): void {
  const countRecently = cacheLookup(() => suspense.countOpen());
  gaugeOnScrape(
    exported,
    {
      name: "malipo_suspense_open",
      help: "Open suspense entries: money that matches no transaction, for a person to assign",
    },
    async () => [[{}, (await countRecently()).count]],
  );
  gaugeOnScrape(
    exported,
    {
      name: "malipo_suspense_shillings",
      help: "Shillings in open suspense entries, as far as the amounts are known",
    },
    async () => [[{}, (await countRecently()).shillings]],
  );
}
