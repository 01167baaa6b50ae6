import {
  isPage,
  type Operation,
  type PageHeaders,
  replyHeaders,
  rpcSubject,
} from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { errors, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/nats-core";
import { lateFault } from "./answer.ts";
import { readPageHeaders } from "./page-headers.ts";
import type { Service } from "./service.ts";
import { type RequestContext, writeContext } from "./request-context.ts";
import { eachTurn } from "./turn.ts";

export interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfter?: string;
  /** Of an answer that is a page. */
  readonly page?: PageHeaders;
}

interface Sending {
  readonly nats: NatsConnection;
  readonly subject: string;
  readonly body: Uint8Array | undefined;
  readonly timeout: number;
  readonly headers: MsgHdrs;
  readonly resolve: (reply: Msg) => void;
  readonly reject: (error: unknown) => void;
}

/** The client flushes once for whatever is sent in one go. */
const send = eachTurn<Sending>(Infinity, (sendings) => {
  for (const { nats, subject, body, timeout, headers, resolve, reject } of sendings) {
    // A promise from the start: one that cannot be sent must not keep the others from it.
    void Promise.resolve()
      .then(() => nats.request(subject, body, { timeout, headers }))
      .then(resolve, reject);
  }
});

/** Sends the body's bytes to the operation's service and brings back the finished answer's bytes. */
export async function request(
  { wire: { nats, isConnected }, config, clock }: Pick<Service, "wire" | "config" | "clock">,
  operation: Operation,
  context: RequestContext,
  body: Uint8Array | undefined,
): Promise<Result<Answer, Fault>> {
  if (!isConnected()) return err(fault("service_unavailable", { detail: "NATS is away" }));
  const timeout = Math.max(1, context.deadline.getTime() - clock().getTime());
  try {
    const subject = rpcSubject(config.NAMESPACE, operation);
    const reply = await new Promise<Msg>((resolve, reject) => {
      send({ nats, subject, body, timeout, headers: writeContext(context), resolve, reject });
    });
    const retryAfter = reply.headers?.get(replyHeaders.retryAfter);
    const status = Number(reply.headers?.get(replyHeaders.status));
    return ok({
      status,
      body: reply.data,
      ...(retryAfter && { retryAfter }),
      ...(status < 400 && isPage(operation) && { page: readPageHeaders(reply.headers) }),
    });
  } catch (error) {
    return err(faultOf(error, operation));
  }
}

function faultOf(error: unknown, operation: Operation): Fault {
  const detail = `${operation.service} did not answer: ${String(error)}`;
  if (error instanceof errors.RequestError && error.isNoResponders()) {
    return fault("service_unavailable", { detail });
  }
  return lateFault(operation, detail);
}
