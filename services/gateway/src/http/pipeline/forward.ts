import { isPage, type Route } from "@malipo/contracts";
import { sendRequest as ask, type RequestContext, type Service } from "@malipo/platform";
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { jsonHeaders } from "../responses/json-headers.ts";
import { refuse } from "../responses/refuse.ts";
import { sendPage } from "../responses/send-page.ts";

/** Characters of `Accept-Language` that are forwarded. */
const languagesLengthMax = 100;

/** Sends the body's bytes to the service, and the bytes of its answer to the client, unchanged. */
export function forwardTo(route: Route, service: Service): RouteHandlerMethod {
  async function forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = request.body instanceof Uint8Array ? request.body : undefined;
    const answer = await ask(service, route, contextOf(request, route), body);
    if (!answer.ok) {
      const { code, logText } = answer.error;
      const { id: requestid, span } = request;
      const line = { requestid, verb: route.verb, code, detail: logText, trace_id: span?.traceid };
      service.log.warn(line, "service did not answer");
      return void refuse(request, reply, answer.error);
    }
    const { status, body: answerBody, retryAfter } = answer.value;
    if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
    if (isPage(route)) return void sendPage(request, reply, route, answer.value);
    reply.code(status).headers(jsonHeaders).send(answerBody);
  }
  // No promise is returned: Fastify would watch every response until its end.
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
    ...(route.audience === "page" && { address: request.ip }),
    ...(queryAt !== -1 && { query: request.url.slice(queryAt + 1) }),
    ...(isPage(route) && {
      languages: request.headers["accept-language"]?.slice(0, languagesLengthMax) ?? "",
    }),
    ...(request.keyAttempt && { operationid: request.keyAttempt.operationid }),
    ...(request.span && { traceparent: request.span.traceparent }),
  };
}
