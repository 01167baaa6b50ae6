import { allRoutes, type Audience, type Route } from "@malipo/contracts";
import { fault } from "@malipo/core";
import type { Service } from "@malipo/platform";
import {
  fastify,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from "fastify";
import { forwardTo } from "./pipeline/forward.ts";
import { identify, requestIdOf } from "./pipeline/identify.ts";
import { refuse, reportProblems } from "./pipeline/problem.ts";

const bodyMaxBytes = 256 * 1024;
const methods: readonly HTTPMethods[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

type Step = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

type AnswerStep = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
) => Promise<unknown>;

/** What must be true of a request before it is forwarded, in order. */
export interface Pipeline {
  /** Also on what no route answers. */
  readonly everywhere: readonly Step[];
  readonly beforeBody: readonly Step[];
  readonly afterBody: readonly Step[];
  readonly beforeAnswer: readonly AnswerStep[];
}

/** One audience's surface. It has no port and no process, so a test may send requests into it. */
export function buildApp(
  service: Service,
  audience: Audience,
  trustedProxies: readonly string[],
  pipeline: Pipeline,
): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: requestIdOf,
    trustProxy: [...trustedProxies],
    bodyLimit: bodyMaxBytes,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1_000, caseSensitive: true },
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    frameworkErrors: (_error, request, reply) => void refuse(request, reply, fault("unknown_path")),
  });
  passBodiesThrough(app);
  reportProblems(app, service.log);
  app.decorateRequest("principal", null);
  app.decorateRequest("claim", null);
  for (const step of [identify, ...pipeline.everywhere]) app.addHook("onRequest", step);

  for (const route of allRoutes.filter((candidate) => candidate.audience === audience)) {
    app.route({
      method: route.method,
      url: route.path,
      config: { route },
      onRequest: [...pipeline.beforeBody],
      preHandler: [...pipeline.afterBody],
      onSend: [...pipeline.beforeAnswer],
      handler: forwardTo(route, service),
    });
    refuseOtherMethods(app, route);
  }
  return app;
}

/** JSON is parsed once, by the service that owns the request. */
function passBodiesThrough(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
}

function refuseOtherMethods(app: FastifyInstance, route: Route): void {
  app.route({
    method: methods.filter((method) => method !== route.method),
    url: route.path,
    config: { route },
    onRequest: async (request, reply) =>
      refuse(request, reply.header("allow", route.method), fault("method_not_allowed")),
    handler: async () => undefined,
  });
}
