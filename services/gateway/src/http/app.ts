import { allRoutes, type Audience, type Route } from "@malipo/contracts";
import { fault } from "@malipo/core";
import type { Service } from "@malipo/platform";
import { fastify, type FastifyInstance } from "fastify";
import { forwardTo } from "./pipeline/forward.ts";
import { identify, requestIdOf } from "./pipeline/identify.ts";
import { limitBodies } from "./pipeline/limit-bodies.ts";
import { observe } from "./pipeline/observe.ts";
import type { Pipeline } from "./pipeline/pipeline.ts";
import { runSteps } from "./pipeline/run-steps.ts";
import { traceRequests } from "./pipeline/trace.ts";
import { answerBrokenRequest, refuseExpectation } from "./responses/broken-request.ts";
import { refuse, handleErrors } from "./responses/refuse.ts";

const bodyMaxBytes = 256 * 1024;
const headersMaxBytes = 16 * 1024;
const headersMaxMs = 10_000;
const requestMaxMs = 15_000;

/** The HTTP app of one audience. It opens no port, so a test can send requests into it. */
export function buildApp(
  service: Service,
  audience: Audience,
  trustedProxies: readonly string[],
  pipeline: Pipeline,
): FastifyInstance {
  const app = openApp(trustedProxies);
  app.server.on("checkExpectation", refuseExpectation);
  passBodiesThrough(app);
  handleErrors(app, service.log);
  app.decorateRequest("principal", null);
  app.decorateRequest("reservation", null);
  app.decorateRequest("span", null);
  app.addHook("onRequest", identify(service.clock));
  if (service.tracer) traceRequests(app, service.tracer);
  observe(app, service);
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

function openApp(trustedProxies: readonly string[]): FastifyInstance {
  return fastify({
    logger: false,
    genReqId: requestIdOf,
    trustProxy: [...trustedProxies],
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
