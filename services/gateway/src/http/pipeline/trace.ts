import type { Span, Tracer } from "@malipo/platform";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { whenOver } from "../../admission/sockets.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null unless tracing is configured. */
    span: Span | null;
  }
}

/**
 * One span for each request. The client's own trace is linked, not continued, so that clients do
 * not decide what is sampled.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { config, url } = request.routeOptions;
    if (config.live) return done();
    const span = tracer.start({
      name: url === undefined ? request.method : `${request.method} ${url}`,
      kind: "server",
      link: traceparentOf(request),
      attributes: {
        "http.request.method": request.method,
        "http.route": url,
        "malipo.request.id": request.id,
      },
    });
    request.span = span;
    whenOver(request.raw.socket, reply.raw, () => {
      const { statusCode } = reply;
      span.end({
        ...(statusCode >= 500 && { problem: String(statusCode) }),
        attributes: {
          "http.response.status_code": statusCode,
          "malipo.business.id": request.principal?.businessid,
        },
      });
    });
    done();
  });
}

function traceparentOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === "string" ? traceparent : undefined;
}
