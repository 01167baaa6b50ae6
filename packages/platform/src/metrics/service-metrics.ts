import type { IncomingMessage, ServerResponse } from "node:http";
import type { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { createCounter } from "./counter.ts";
import { createGauge } from "./gauge.ts";
import { createHistogram } from "./histogram.ts";
import type { Metric } from "./metric.ts";

/** What every service counts. A service adds its own to what is exported. */
export function createMetrics(service: string) {
  const exported: Metric[] = [];
  return {
    exported,
    answerScrape: scraping(service, exported),
    /** Named as OpenTelemetry's conventions have it, like all that they know of. */
    processSeconds: createHistogram(exported, {
      name: "messaging_process_duration_seconds",
      help: "How long requests and batches of events took, by what they are and how they ended",
      labelNames: ["messaging_destination_name", "outcome"],
      boundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    }),
    requestsDropped: createCounter(exported, {
      name: "malipo_requests_dropped_total",
      help: "Requests not begun, by reason: nobody waits any more, too many at once, unreadable",
      labelNames: ["reason"],
    }),
    eventsPublished: createCounter(exported, {
      name: "messaging_client_sent_messages_total",
      help: "Events that the stream has acknowledged, by type",
      labelNames: ["messaging_destination_name"],
    }),
    eventPublishFailures: createCounter(exported, {
      name: "malipo_event_publish_failures_total",
      help: "Publications that were not acknowledged; the sweep tries them again",
    }),
    unpublishedOldestSeconds: createGauge(exported, {
      name: "malipo_outbox_oldest_seconds",
      help: "Age of the oldest event that waits for publication, at the last sweep",
    }),
    consumed: createCounter(exported, {
      name: "messaging_client_consumed_messages_total",
      help: "Messages by consumer and outcome: done, refused, dead",
      labelNames: ["messaging_consumer_group_name", "outcome"],
    }),
    redelivered: createCounter(exported, {
      name: "malipo_redeliveries_total",
      help: "Messages that came again, by consumer",
      labelNames: ["messaging_consumer_group_name"],
    }),
    compared: createCounter(exported, {
      name: "malipo_compared_total",
      help: "Records compared with what another service made of them: there, sent_again, missing (still, after that)",
      labelNames: ["wanted", "outcome"],
    }),
    storeAway: createGauge(exported, {
      name: "malipo_store_away",
      help: "1 while the database cannot be written to",
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Loads OpenTelemetry when somebody asks for the first time: what is counted are plain numbers, and
 * a process that nobody scrapes has none of it in its memory.
 */
function scraping(service: string, exported: readonly Metric[]) {
  let exporter: PrometheusExporter | undefined;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { openExporter } = await import("./exporter.ts");
    exporter ??= openExporter(service, exported);
    exporter.getMetricsRequestHandler(request, response);
    // The exporter leaves out the format's version, which newer Prometheuses go by.
    response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
  };
}
