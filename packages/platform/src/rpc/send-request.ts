import {
  isPage,
  type Operation,
  type PageHeaders,
  replyHeaders,
  rpcSubject,
} from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { lateFault } from "./answer-request.ts";
import { NobodyServes, NotPermitted } from "../nats/reply-inbox.ts";
import { requestSpan } from "../tracing/message-spans.ts";
import { readPageHeaders } from "./page-headers.ts";
import type { Service } from "../service/service.ts";
import { type RequestContext, writeContext } from "./request-context.ts";

export interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfter?: string;
  /** Of an answer that is a page. */
  readonly page?: PageHeaders;
}

export type Asker = Pick<Service, "wire" | "config" | "clock" | "tracer">;

/** Sends the body's bytes to the operation's service and brings back the finished answer's bytes. */
export async function request(
  { wire, config, clock, tracer }: Asker,
  operation: Operation,
  context: RequestContext,
  body: Uint8Array | undefined,
): Promise<Result<Answer, Fault>> {
  if (!wire.isConnected()) return err(fault("service_unavailable", { detail: "NATS is away" }));
  const span = requestSpan(tracer, config.NAMESPACE, operation, context.traceparent);
  const traced = span ? { ...context, traceparent: span.traceparent } : context;
  try {
    const { headers, data } = await wire.ask({
      subject: rpcSubject(config.NAMESPACE, operation),
      body,
      headers: (ticket) => writeContext({ ...traced, ticket }),
      patienceMs: Math.max(1, context.deadline.getTime() - clock().getTime()),
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
    const refusal = faultOf(error, operation);
    span?.end({ problem: refusal.code });
    return err(refusal);
  }
}

function faultOf(error: unknown, operation: Operation): Fault {
  const detail = `${operation.service} did not answer: ${String(error)}`;
  if (error instanceof NobodyServes) return fault("service_unavailable", { detail });
  if (error instanceof NotPermitted) return fault("internal_error", { detail });
  return lateFault(operation, detail);
}
