import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** What every service counts. A service adds its own to the same registry. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    /** Named as OpenTelemetry's conventions have it, like all that they know of. */
    processSeconds: new Histogram({
      name: "messaging_process_duration_seconds",
      help: "How long requests and batches of events took, by what they are and how they ended",
      labelNames: ["messaging_destination_name", "outcome"] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    requestsDropped: new Counter({
      name: "malipo_requests_dropped_total",
      help: "Requests not begun, by reason: nobody waits any more, too many at once, unreadable",
      labelNames: ["reason"] as const,
      registers,
    }),
    eventsPublished: new Counter({
      name: "messaging_client_sent_messages_total",
      help: "Events that the stream has acknowledged, by type",
      labelNames: ["messaging_destination_name"] as const,
      registers,
    }),
    eventPublishFailures: new Counter({
      name: "malipo_event_publish_failures_total",
      help: "Publications that were not acknowledged; the sweep tries them again",
      registers,
    }),
    unpublishedOldestSeconds: new Gauge({
      name: "malipo_outbox_oldest_seconds",
      help: "Age of the oldest event that waits for publication, at the last sweep",
      registers,
    }),
    consumed: new Counter({
      name: "messaging_client_consumed_messages_total",
      help: "Messages by consumer and outcome: done, refused, dead",
      labelNames: ["messaging_consumer_group_name", "outcome"] as const,
      registers,
    }),
    redelivered: new Counter({
      name: "malipo_redeliveries_total",
      help: "Messages that came again, by consumer",
      labelNames: ["messaging_consumer_group_name"] as const,
      registers,
    }),
    compared: new Counter({
      name: "malipo_compared_total",
      help: "Records compared with what another service made of them: there, sent_again, missing (still, after that)",
      labelNames: ["wanted", "outcome"] as const,
      registers,
    }),
    storeAway: new Gauge({
      name: "malipo_store_away",
      help: "1 while the database cannot be written to",
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
