import { fault } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import { Histogram } from "prom-client";
import { refuse } from "./problem.ts";

const inFlightMax = 1_000;

/** One line and one measurement for each request; beyond what can be in flight, a refusal. */
export function observe(app: FastifyInstance, { log, metrics }: Service, audience: string): void {
  const seconds = new Histogram({
    name: `malipo_http_${audience}_seconds`,
    help: `How long requests of the ${audience} surface took, by route and status`,
    labelNames: ["route", "status"] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [metrics.registry],
  });
  let inFlight = 0;

  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config.live) return done();
    inFlight += 1;
    if (inFlight <= inFlightMax) return done();
    metrics.requestsDropped.inc({ reason: "busy" });
    refuse(request, reply, fault("service_unavailable"));
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { route, live } = request.routeOptions.config;
    if (!live) inFlight -= 1;
    const verb = route ? `${route.service}.${route.verb}` : live ? "gateway.live" : "none";
    const status = reply.statusCode;
    seconds.observe({ route: verb, status }, reply.elapsedTime / 1_000);
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
