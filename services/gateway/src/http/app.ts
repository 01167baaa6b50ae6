import { allRoutes, type Audience, type Route } from "@malipo/contracts";
import { fault } from "@malipo/core";
import type { Service } from "@malipo/platform";
import { fastify, type FastifyInstance, type onRequestHookHandler } from "fastify";
import { startRequestsInTurn } from "../admission/sockets.ts";
import { limitConnections } from "../admission/connections.ts";
import { trustProxies, type IsTrustedProxy } from "../admission/trusted-proxies.ts";
import { checkHeaders } from "./pipeline/check-headers.ts";
import { forwardTo } from "./pipeline/forward.ts";
import { identify, requestIdOf } from "./pipeline/identify.ts";
import { limitBodies } from "./pipeline/limit-bodies.ts";
import { observe } from "./pipeline/observe.ts";
import type { Pipeline } from "./pipeline/pipeline.ts";
import { runSteps } from "./pipeline/run-steps.ts";
import { limitSlowClients, type Patience } from "./pipeline/slow-clients.ts";
import { traceRequests } from "./pipeline/trace.ts";
import {
  answerBrokenRequest,
  refuseExpectation,
  trackAnswers,
} from "./responses/broken-request.ts";
import { refuse, handleErrors } from "./responses/refuse.ts";

const bodyMaxBytes = 256 * 1024;
const headersMaxBytes = 16 * 1024;
const headersMaxMs = 10_000;
const requestMaxMs = 15_000;

export interface EdgeOptions {
  /** Addresses or networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  readonly connectionsPerAddressMax?: number;
  readonly patience?: Patience;
}

/** The HTTP app of one audience. It opens no port, so a test can send requests into it. */
export function buildApp(
  service: Service,
  audience: Audience,
  pipeline: Pipeline,
  { trustedProxies = [], connectionsPerAddressMax = 1_000, patience }: EdgeOptions = {},
): FastifyInstance {
  const isTrustedProxy = trustProxies(trustedProxies);
  const app = openApp(isTrustedProxy);
  startRequestsInTurn(app.server);
  limitConnections(app.server, connectionsPerAddressMax, isTrustedProxy);
  trackAnswers(app.server);
  app.server.on("checkExpectation", refuseExpectation);
  askForBodiesLate(app);
  passBodiesThrough(app);
  handleErrors(app, service.log);
  app.decorateRequest("principal", null);
  app.decorateRequest("keyAttempt", null);
  app.decorateRequest("span", null);
  app.addHook("onRequest", identify(service.clock));
  if (service.tracer) traceRequests(app, service.tracer);
  observe(app, service);
  limitSlowClients(app, patience);
  app.addHook("onRequest", checkHeaders);
  app.addHook("onRequest", refuseUnknownPath);
  limitBodies(app, service, bodyMaxBytes);
  for (const step of pipeline.beforeAnyAnswer) app.addHook("onSend", step);

  const routes = allRoutes.filter((candidate) => candidate.audience === audience);
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      config: { route },
      onRequest: runSteps(pipeline.beforeBody, service.clock),
      preHandler: runSteps(pipeline.afterBody, service.clock),
      onSend: [...pipeline.beforeAnswer],
      handler: forwardTo(route, service),
    });
  }
  for (const routesOfPath of Object.values(Object.groupBy(routes, ({ path }) => path))) {
    refuseOtherMethods(app, routesOfPath ?? []);
  }
  return app;
}

function openApp(isTrustedProxy: IsTrustedProxy): FastifyInstance {
  return fastify({
    logger: false,
    genReqId: requestIdOf,
    trustProxy: isTrustedProxy,
    bodyLimit: bodyMaxBytes,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: headersMaxBytes, caseSensitive: true },
    http: {
      maxHeaderSize: headersMaxBytes,
      requireHostHeader: false,
      // Node applies the larger of headersTimeout and requestTimeout to the whole request.
      headersTimeout: headersMaxMs,
      connectionsCheckingInterval: 2_000,
    },
    requestTimeout: requestMaxMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, request, reply) => void refuse(request, reply, fault("unknown_path")),
  });
}

/** Fastify would read the whole body before it answers 404. */
const refuseUnknownPath: onRequestHookHandler = (request, reply, done) => {
  if (request.is404) refuse(request, reply, fault("unknown_path"));
  else done();
};

/** A client that asks with `Expect: 100-continue` sends no body if it is refused. */
function askForBodiesLate(app: FastifyInstance): void {
  app.server.on("checkContinue", (request, response) =>
    app.server.emit("request", request, response),
  );
  app.addHook("preParsing", (request, reply, _payload, done) => {
    const { headers, httpVersion } = request.raw;
    if (headers.expect !== undefined && httpVersion === "1.1") reply.raw.writeContinue();
    done();
  });
}

/** The gateway does not parse bodies. The service that owns the route parses the JSON. */
function passBodiesThrough(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
}

/** Answers 405 to all methods that no route of this path has. */
export function refuseOtherMethods(app: FastifyInstance, routesOfPath: readonly Route[]): void {
  const [route] = routesOfPath;
  if (!route) return;
  const allowed = new Set<string>(routesOfPath.map(({ method }) => method));
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.has(method)),
    url: route.path,
    config: { route },
    onRequest: (request, reply) => {
      reply.header("allow", [...allowed].join(", "));
      refuse(request, reply, fault("method_not_allowed"));
    },
    handler: async () => undefined,
  });
}
