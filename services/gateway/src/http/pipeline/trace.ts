import type { Span, Tracer } from "@malipo/platform";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** There while traces are sent somewhere. */
    span: Span | null;
  }
}

/**
 * A span for each request. Whoever calls from outside does not decide what we record: the caller's
 * own trace is linked, not continued.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { config, url } = request.routeOptions;
    if (config.live) return done();
    const span = tracer.start({
      name: url === undefined ? request.method : `${request.method} ${url}`,
      kind: "server",
      link: callerOf(request),
      attributes: {
        "http.request.method": request.method,
        "http.route": url,
        "malipo.request.id": request.id,
      },
    });
    request.span = span;
    // Also of a client that has left before its answer.
    reply.raw.once("close", () => {
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

function callerOf({ headers }: FastifyRequest): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === "string" ? traceparent : undefined;
}
