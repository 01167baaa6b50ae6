import type { IncomingMessage, ServerResponse } from "node:http";
import type { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { createCounter, createGauge, createHistogram } from "./instruments.ts";
import type { Metric } from "./metric.ts";

/** The metrics of every service. A service pushes its own to `exported`. */
export function createMetrics(service: string) {
  const exported: Metric[] = [];
  return {
    exported,
    answerScrape: createScrapeHandler(service, exported),
    /** Names follow OpenTelemetry's semantic conventions wherever those have one. */
    processSeconds: createHistogram(exported, {
      name: "messaging_process_duration_seconds",
      help: "Duration of requests and of batches of events, by destination and outcome",
      labelNames: ["messaging_destination_name", "outcome"],
      boundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    }),
    requestsDropped: createCounter(exported, {
      name: "malipo_requests_dropped_total",
      help: "Requests that were not started, by reason: late, busy, share, unreadable",
      labelNames: ["reason"],
    }),
    eventsPublished: createCounter(exported, {
      name: "messaging_client_sent_messages_total",
      help: "Events that the stream acknowledged, by type",
      labelNames: ["messaging_destination_name"],
    }),
    eventPublishFailures: createCounter(exported, {
      name: "malipo_event_publish_failures_total",
      help: "Publications without an acknowledgement; the sweep retries them",
    }),
    unpublishedOldestSeconds: createGauge(exported, {
      name: "malipo_outbox_oldest_seconds",
      help: "Age of the oldest unpublished event at the last sweep",
    }),
    consumed: createCounter(exported, {
      name: "messaging_client_consumed_messages_total",
      help: "Messages by consumer and outcome: done, refused, dead",
      labelNames: ["messaging_consumer_group_name", "outcome"],
    }),
    redelivered: createCounter(exported, {
      name: "malipo_redeliveries_total",
      help: "Redelivered messages, by consumer",
      labelNames: ["messaging_consumer_group_name"],
    }),
    compared: createCounter(exported, {
      name: "malipo_compared_total",
      help: "Records reconciled with another service: there, sent_again, missing (still, after that)",
      labelNames: ["wanted", "outcome"],
    }),
    storeAway: createGauge(exported, {
      name: "malipo_store_away",
      help: "1 while no database server accepts writes",
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Loads OpenTelemetry at the first scrape: until then metrics are plain numbers, and a process that
 * is never scraped does not have OpenTelemetry in memory.
 */
function createScrapeHandler(service: string, exported: readonly Metric[]) {
  let exporter: PrometheusExporter | undefined;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { openExporter } = await import("./exporter.ts");
    exporter ??= openExporter(service, exported);
    exporter.getMetricsRequestHandler(request, response);
    // The exporter leaves out the version of the format, which newer Prometheus servers check.
    response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
  };
}
