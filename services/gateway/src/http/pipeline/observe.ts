import { fault } from "@malipo/core";
import { createHistogram, type Histogram, type Service } from "@malipo/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../responses/refuse.ts";
import { createSampling } from "./sample.ts";

const inFlightMax = 1_000;
/** What others write down for a client that left before its answer; it is never sent. */
const leftStatus = 499;

type HttpLabel = "http_request_method" | "http_route" | "http_response_status_code";

const known = new WeakMap<Service["metrics"], Histogram<HttpLabel>>();

/** One histogram for all surfaces, under the name that OpenTelemetry's conventions give it. */
function requestSeconds(metrics: Service["metrics"]): Histogram<HttpLabel> {
  const seconds =
    known.get(metrics) ??
    createHistogram<HttpLabel>(metrics.exported, {
      name: "http_server_request_duration_seconds",
      help: "How long requests took, by method, route and status",
      labelNames: ["http_request_method", "http_route", "http_response_status_code"],
      boundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    });
  known.set(metrics, seconds);
  return seconds;
}

/**
 * One measurement for each request, and one line, or in a storm one for many; beyond what can be in
 * flight, a refusal.
 */
export function observe(app: FastifyInstance, { log, metrics, clock }: Service): void {
  const seconds = requestSeconds(metrics);
  const weigh = createSampling(clock);
  let inFlight = 0;

  app.addHook("onRequest", (request, reply, done) => {
    const { live } = request.routeOptions.config;
    const arrived = performance.now();
    if (!live) inFlight += 1;
    // Fastify's own hook after an answer is not run for a client that has left before it.
    reply.raw.once("close", () => {
      if (!live) inFlight -= 1;
      tell(request, reply, performance.now() - arrived);
    });
    if (live || inFlight <= inFlightMax) return done();
    metrics.requestsDropped.inc({ reason: "busy" });
    refuse(request, reply, fault("service_unavailable"));
  });

  function tell(request: FastifyRequest, reply: FastifyReply, tookMs: number): void {
    const { config, url = "none" } = request.routeOptions;
    const { route, live } = config;
    const verb = route ? `${route.service}.${route.verb}` : live ? "gateway.live" : "none";
    const hasLeft = !live && !reply.raw.writableFinished;
    const status = hasLeft ? leftStatus : reply.statusCode;
    const labels = {
      http_request_method: request.method,
      http_route: url,
      http_response_status_code: status,
    };
    seconds.observe(labels, tookMs / 1_000);
    const weight = status >= 500 ? 1 : weigh();
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
      // One of many in a storm: so many requests it stands for.
      standsfor: weight > 1 ? weight : undefined,
    };
    log.info(line, "request");
  }
}
