import { secondMs } from "@malipo/core";
import {
  createCounter,
  createGauge,
  createHistogram,
  gaugeOnScrape,
  type Service,
} from "@malipo/platform";
import type { Answer } from "../domain/delivery.ts";
import type { Queues } from "../store/queues.ts";

export interface WorkerMetrics {
  count(answer: Answer, milliseconds: number): void;
  setLeased(endpoints: number): void;
}

export function createWorkerMetrics(
  { metrics: { exported }, clock }: Pick<Service, "metrics" | "clock">,
  queues: Pick<Queues, "waitingSince">,
): WorkerMetrics {
  gaugeOnScrape(
    exported,
    {
      name: "malipo_webhook_backlog_oldest_seconds",
      help: "Age of the oldest due work that no worker has leased; parked and resting endpoints do not count",
    },
    async () => {
      const now = clock();
      const since = (await queues.waitingSince(now)) ?? now;
      return [[{}, (now.getTime() - since.getTime()) / secondMs]];
    },
  );
  const attempts = createCounter(exported, {
    name: "malipo_webhook_attempts_total",
    help: "Attempts to deliver, by outcome: delivered, refused, unanswered, interrupted",
    labelNames: ["outcome"],
  });
  const seconds = createHistogram(exported, {
    name: "malipo_webhook_attempt_seconds",
    help: "Duration of attempts",
    boundaries: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  });
  const leasedEndpoints = createGauge(exported, {
    name: "malipo_webhook_held_endpoints",
    help: "Endpoints that this process has a lease on",
  });
  return {
    count: (answer, milliseconds) => {
      attempts.inc({ outcome: outcomeOf(answer) });
      seconds.observe({}, milliseconds / 1_000);
    },
    setLeased: (endpoints) => {
      leasedEndpoints.value = endpoints;
    },
  };
}

function outcomeOf({ status, problem, isInterrupted }: Answer): string {
  if (isInterrupted) return "interrupted";
  if (problem === null) return "delivered";
  return status === null ? "unanswered" : "refused";
}
