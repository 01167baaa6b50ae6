import {
  isPage,
  type Operation,
  type PageHeaders,
  replyHeaders,
  rpcSubject,
} from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { NoResponder, NotPermitted } from "../nats/index.ts";
import type { Service } from "../service/index.ts";
import { requestSpan } from "../tracing/index.ts";
import { readPageHeaders } from "./page-headers.ts";
import { type RequestContext, writeContext } from "./request-context.ts";
import { timeoutFault } from "./answer-request.ts";

export interface ServiceReply {
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfter?: string;
  /** Only when the operation replies with a page. */
  readonly page?: PageHeaders;
}

/** The parts of a service that a call to another service uses. */
export type Caller = Pick<Service, "wire" | "config" | "clock" | "tracer">;

/** Sends the bytes of the body to the operation's service, and returns the bytes of the reply. */
export async function sendRequest(
  { wire, config, clock, tracer }: Caller,
  operation: Operation,
  context: RequestContext,
  body: Uint8Array | undefined,
): Promise<Result<ServiceReply, Fault>> {
  if (!wire.isConnected()) return err(fault("service_unavailable", { logText: "NATS is away" }));
  const span = requestSpan(tracer, config.NAMESPACE, operation, context.traceparent);
  const traced = span ? { ...context, traceparent: span.traceparent } : context;
  try {
    const { headers, data } = await wire.request({
      subject: rpcSubject(config.NAMESPACE, operation),
      body,
      headers: (correlationId) => writeContext({ ...traced, correlationId }),
      timeoutMs: Math.max(1, context.deadline.getTime() - clock().getTime()),
    });
    const status = Number(headers?.get(replyHeaders.status));
    span?.end({ attributes: { "malipo.status": status } });
    const retryAfter = headers?.get(replyHeaders.retryAfter);
    return ok({
      status,
      body: data,
      ...(retryAfter && { retryAfter }),
      ...(status < 400 && isPage(operation) && { page: readPageHeaders(headers) }),
    });
  } catch (error) {
    const failure = faultOf(error, operation);
    span?.end({ problem: failure.code });
    return err(failure);
  }
}

function faultOf(error: unknown, operation: Operation): Fault {
  const logText = `${operation.service} did not reply: ${String(error)}`;
  if (error instanceof NoResponder) return fault("service_unavailable", { logText });
  if (error instanceof NotPermitted) return fault("internal_error", { logText });
  return timeoutFault(operation, logText);
}
