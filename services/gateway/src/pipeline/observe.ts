import { fault } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import { Histogram } from "prom-client";
import { refuse } from "./problem.ts";

const inFlightMax = 1_000;

const secondsName = "http_server_request_duration_seconds";

/** One histogram for all surfaces, under the name that OpenTelemetry's conventions give it. */
function requestSeconds({ registry }: Service["metrics"]) {
  const known = registry.getSingleMetric(secondsName);
  if (known) return known as Histogram<HttpLabel>;
  return new Histogram<HttpLabel>({
    name: secondsName,
    help: "How long requests took, by method, route and status",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
}

type HttpLabel = "http_request_method" | "http_route" | "http_response_status_code";

/** One line and one measurement for each request; beyond what can be in flight, a refusal. */
export function observe(app: FastifyInstance, { log, metrics }: Service): void {
  const seconds = requestSeconds(metrics);
  let inFlight = 0;

  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config.live) return done();
    inFlight += 1;
    if (inFlight <= inFlightMax) return done();
    metrics.requestsDropped.inc({ reason: "busy" });
    refuse(request, reply, fault("service_unavailable"));
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { config, url = "none" } = request.routeOptions;
    const { route, live } = config;
    if (!live) inFlight -= 1;
    const verb = route ? `${route.service}.${route.verb}` : live ? "gateway.live" : "none";
    const status = reply.statusCode;
    const labels = {
      http_request_method: request.method,
      http_route: url,
      http_response_status_code: status,
    };
    seconds.observe(labels, reply.elapsedTime / 1_000);
    const line = {
      requestid: request.id,
      trace_id: request.span?.traceid,
      businessid: request.principal?.businessid,
      method: request.method,
      route: verb,
      status,
      ms: Math.round(reply.elapsedTime),
      remaining: reply.getHeader("x-ratelimit-remaining"),
      replayed: reply.hasHeader("idempotent-replayed") || undefined,
    };
    log.info(line, "request");
    done();
  });
}
