import { allRoutes, livePath, type Route } from "@malipo/contracts";
import { fault } from "@malipo/core";
import { createShare, type Service } from "@malipo/platform";
import type { FastifyInstance, onRequestHookHandler } from "fastify";
import type { AddressLimiter } from "../../limiters/address-limiter.ts";
import { refuseOtherMethods } from "../app.ts";
import { takePlace } from "../pipeline/admit.ts";
import { forwardTo } from "../pipeline/forward.ts";
import { describeLimit, rateLimited } from "../pipeline/rate-limit.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import { refuse } from "../responses/refuse.ts";
import { streamLimits, streamLiveUpdates } from "./live.ts";

/** Requests for pages in progress. */
const requestsMax = 500;

/** A visitor of a page has no credential, so the limits are those of the address. */
export interface PageLimits {
  /** All requests for pages. A whole town may share one address. */
  readonly visits: AddressLimiter;
  /** Requests with a code of no page, so that codes cannot be found by trying. */
  readonly unknownCodes: AddressLimiter;
}

/** Serves pages and the requests that pages send. Refusals are HTML pages for people. */
export function servePages(
  app: FastifyInstance,
  service: Service,
  limits: PageLimits,
  routes: readonly Route[] = allRoutes.filter(({ audience }) => audience === "page"),
): void {
  const admit = runSteps([takePlace(createShare({ max: requestsMax }), service)], service.clock);
  const admitStream = runSteps([takePlace(createShare(streamLimits), service)], service.clock);
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      config: { route },
      onRequest: [admit, limitAddress(limits), ...(route.method === "GET" ? [] : [refuseForeign])],
      onResponse: (request, reply, done) => {
        if (reply.statusCode === 404) limits.unknownCodes.count(request.ip);
        done();
      },
      handler: forwardTo(route, service),
    });
  }
  for (const routesOfPath of Object.values(Object.groupBy(routes, ({ path }) => path))) {
    refuseOtherMethods(app, routesOfPath ?? []);
  }
  app.get(
    livePath,
    { config: { live: true }, onRequest: [admitStream, limitAddress(limits)] },
    streamLiveUpdates(app, service),
  );
}

function limitAddress({ visits, unknownCodes }: PageLimits): onRequestHookHandler {
  return (request, reply, done) => {
    const unknown = unknownCodes.peek(request.ip);
    const decision =
      unknown.remaining > 0 ? visits.count(request.ip) : { ...unknown, allowed: false };
    describeLimit(reply, decision);
    if (decision.allowed) return done();
    refuse(request, reply, rateLimited(decision));
  };
}

/** Accepts requests of a page on the same host only: no other site may send them. */
const refuseForeign: onRequestHookHandler = (request, reply, done) => {
  const { origin, host, "sec-fetch-site": site = "same-origin" } = request.headers;
  if (site !== "same-origin") return void refuse(request, reply, fault("foreign_origin"));
  if (origin !== undefined && URL.parse(origin)?.host === host) return done();
  refuse(request, reply, fault("foreign_origin"));
};
