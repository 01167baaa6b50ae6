import { type Clock, secondMs } from "@malipo/core";
import { createHistogram, type Histogram, type Service } from "@malipo/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { whenOver } from "../../admission/sockets.ts";

/** The usual status in logs for a client that disconnects before its answer. It is never sent. */
const disconnectedStatus = 499;

/** Up to this many requests in a second are all logged. */
const loggedMax = 200;
/** After those, one request of this many is logged. */
const sampleSize = 20;

type HttpLabel = "http_request_method" | "http_route" | "http_response_status_code";

const histograms = new WeakMap<Service["metrics"], Histogram<HttpLabel>>();

/** Both APIs share one histogram. Its name follows the conventions of OpenTelemetry. */
function requestSeconds(metrics: Service["metrics"]): Histogram<HttpLabel> {
  const seconds =
    histograms.get(metrics) ??
    createHistogram<HttpLabel>(metrics.exported, {
      name: "http_server_request_duration_seconds",
      help: "How long requests took, by method, route and status",
      labelNames: ["http_request_method", "http_route", "http_response_status_code"],
      boundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    });
  histograms.set(metrics, seconds);
  return seconds;
}

/** Measures and logs each request, under load a sample of them. */
export function observe(app: FastifyInstance, { log, metrics, clock }: Service): void {
  const seconds = requestSeconds(metrics);
  const sampleWeight = createSampling(clock);

  app.addHook("onRequest", (request, reply, done) => {
    const arrivedMs = performance.now();
    // Fastify's own onResponse hook does not run for a client that disconnects before its answer.
    whenOver(request.raw.socket, reply.raw, () =>
      report(request, reply, performance.now() - arrivedMs),
    );
    done();
  });

  function report(request: FastifyRequest, reply: FastifyReply, tookMs: number): void {
    const { config, url = "none" } = request.routeOptions;
    const { route, live } = config;
    const verb = route ? `${route.service}.${route.verb}` : live ? "gateway.live" : "none";
    const isDisconnected = !live && !reply.raw.writableFinished;
    const status = isDisconnected ? disconnectedStatus : reply.statusCode;
    const labels = {
      http_request_method: request.method,
      http_route: url,
      http_response_status_code: status,
    };
    seconds.observe(labels, tookMs / secondMs);
    const weight = status >= 500 ? 1 : sampleWeight();
    if (weight === 0) return;
    const line = {
      requestid: request.id,
      trace_id: request.span?.traceid,
      businessid: request.principal?.businessid,
      method: request.method,
      route: verb,
      status,
      ms: Math.round(tookMs),
      remaining: reply.getHeader("x-ratelimit-remaining"),
      replayed: reply.hasHeader("idempotent-replayed") || undefined,
      // The number of requests that a sampled line represents.
      standsfor: weight > 1 ? weight : undefined,
    };
    log.info(line, "request");
  }
}

/**
 * Returns how many requests the line of this request represents: 0 if it is not logged. Under heavy
 * load, logging every request costs as much as a tenth of the requests themselves.
 */
export function createSampling(clock: Clock): () => number {
  let second = 0;
  let count = 0;
  return () => {
    const now = Math.floor(clock().getTime() / secondMs);
    if (now !== second) {
      second = now;
      count = 0;
    }
    count += 1;
    if (count <= loggedMax) return 1;
    return (count - loggedMax) % sampleSize === 0 ? sampleSize : 0;
  };
}
