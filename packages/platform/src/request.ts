import { replyHeaders, type Route, rpcSubject } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { errors } from "@nats-io/nats-core";
import { lateFault } from "./answer.ts";
import type { Wire } from "./nats.ts";
import { type RequestContext, writeContext } from "./request-context.ts";

export interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfter?: string;
}

/** Sends the body's bytes to the route's service and brings back the finished answer's bytes. */
export async function request(
  { nats, isConnected }: Wire,
  namespace: string,
  route: Route,
  context: RequestContext,
  body: Uint8Array | undefined,
): Promise<Result<Answer, Fault>> {
  if (!isConnected()) return err(fault("service_unavailable", { detail: "NATS is away" }));
  const timeout = Math.max(1, context.deadline.getTime() - Date.now());
  try {
    const reply = await nats.request(rpcSubject(namespace, route), body, {
      timeout,
      headers: writeContext(context),
    });
    const retryAfter = reply.headers?.get(replyHeaders.retryAfter);
    return ok({
      status: Number(reply.headers?.get(replyHeaders.status)),
      body: reply.data,
      ...(retryAfter && { retryAfter }),
    });
  } catch (error) {
    return err(faultOf(error, route));
  }
}

function faultOf(error: unknown, route: Route): Fault {
  const detail = `${route.service} did not answer: ${String(error)}`;
  if (error instanceof errors.RequestError && error.isNoResponders()) {
    return fault("service_unavailable", { detail });
  }
  return lateFault(route, detail);
}
