import { allRoutes, livePath, type Route } from "@malipo/contracts";
import { fault } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { FastifyInstance, onRequestHookHandler } from "fastify";
import { refuseOtherMethods } from "../app.ts";
import { forwardTo } from "../pipeline/forward.ts";
import { refuse } from "../responses/refuse.ts";
import { describeLimit, rateLimited } from "../pipeline/rate-limit.ts";
import type { AddressLimiter } from "../../rate-limits/address-limiter.ts";
import { openLive } from "./live.ts";

/** Whoever asks for a page is known by nothing but an address. */
export interface PageLimits {
  /** Of all that an address asks for: a whole town may share one. */
  readonly visits: AddressLimiter;
  /** Of codes that are none: nobody finds a page by trying. */
  readonly unknown: AddressLimiter;
}

/** Pages, and what they send back: no credential, limited by address, friendly when refused. */
export function servePages(
  app: FastifyInstance,
  service: Service,
  limits: PageLimits,
  routes: readonly Route[] = allRoutes.filter(({ audience }) => audience === "page"),
): void {
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      config: { route },
      onRequest: [limitAddress(limits), ...(route.method === "GET" ? [] : [refuseForeign])],
      onResponse: (request, reply, done) => {
        if (reply.statusCode === 404) limits.unknown.note(request.ip);
        done();
      },
      handler: forwardTo(route, service),
    });
  }
  for (const ofPath of Object.values(Object.groupBy(routes, ({ path }) => path))) {
    refuseOtherMethods(app, ofPath ?? []);
  }
  app.get(
    livePath,
    { config: { live: true }, onRequest: limitAddress(limits) },
    openLive(app, service),
  );
}

function limitAddress({ visits, unknown }: PageLimits): onRequestHookHandler {
  return (request, reply, done) => {
    const tried = unknown.peek(request.ip);
    const decision = tried.remaining > 0 ? visits.note(request.ip) : { ...tried, allowed: false };
    describeLimit(reply, decision);
    if (decision.allowed) return done();
    refuse(request, reply, rateLimited(decision));
  };
}

/** What a page sends comes from that page, not from somebody else's. */
const refuseForeign: onRequestHookHandler = (request, reply, done) => {
  const { origin, host, "sec-fetch-site": site = "same-origin" } = request.headers;
  if (site !== "same-origin") return void refuse(request, reply, fault("foreign_origin"));
  if (origin !== undefined && URL.parse(origin)?.host === host) return done();
  refuse(request, reply, fault("foreign_origin"));
};
