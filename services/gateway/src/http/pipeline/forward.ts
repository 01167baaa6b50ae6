import { isPage, type Route } from "@malipo/contracts";
import { request as ask, type RequestContext, type Service } from "@malipo/platform";
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { sendPage } from "../responses/send-page.ts";
import type { Outcome } from "./pipeline.ts";
import { refuse, send } from "../responses/refuse.ts";

/** Nobody reads more languages than fit. */
const languagesMax = 100;

/** Sends the body's bytes to the service and its answer's bytes to the client, both untouched. */
export function forwardTo(route: Route, service: Service): RouteHandlerMethod {
  async function forward(request: FastifyRequest, reply: FastifyReply): Promise<Outcome> {
    const body = request.body instanceof Uint8Array ? request.body : undefined;
    const answer = await ask(service, route, contextOf(request, route), body);
    if (!answer.ok) {
      const { code, detail } = answer.error;
      const { id: requestid, span } = request;
      const line = { requestid, verb: route.verb, code, detail, trace_id: span?.traceid };
      service.log.warn(line, "not answered");
      return refuse(request, reply, answer.error);
    }
    if (answer.value.retryAfter !== undefined) reply.header("retry-after", answer.value.retryAfter);
    return isPage(route)
      ? sendPage(request, reply, route, answer.value)
      : send(reply, answer.value);
  }
  // Given a promise, Fastify would follow every response to its end.
  return (request, reply) => {
    forward(request, reply).catch((error: unknown) => reply.send(error));
  };
}

function contextOf(request: FastifyRequest, route: Route): RequestContext {
  const queryAt = request.url.indexOf("?");
  return {
    requestid: request.id,
    deadline: request.deadline,
    params: request.params as Record<string, string>,
    ...(request.principal && {
      businessid: request.principal.businessid,
      credentialid: request.principal.credentialid,
    }),
    ...(queryAt !== -1 && { query: request.url.slice(queryAt + 1) }),
    ...(isPage(route) && {
      languages: request.headers["accept-language"]?.slice(0, languagesMax) ?? "",
    }),
    ...(request.claim && { operationid: request.claim.operationid }),
    ...(request.span && { traceparent: request.span.traceparent }),
  };
}
