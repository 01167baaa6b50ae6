import {
  formatFailure,
  isPage,
  type Operation,
  type PageHeaders,
  type PageReply,
  replyHeaders,
  type ReplyOf,
} from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { headers, type Msg, type MsgHdrs } from "@nats-io/nats-core";
import { batchPerTick, messagesPerWriteMax } from "../batching/index.ts";
import { writePageHeaders } from "./page-headers.ts";
import type { RequestContext } from "./request-context.ts";

const defaultRetryAfterSeconds = 1;
const cachedHeaders = new Map<string, MsgHdrs>();
/** NATS refuses a message over 1 MB, headers included. */
const bodyMaxBytes = 1_000_000;

interface Reply {
  readonly message: Msg;
  readonly context: RequestContext;
  readonly body: string | Uint8Array;
  readonly headers: MsgHdrs;
}

/** The client flushes once for all messages that are published in one call. */
const send = batchPerTick<Reply>(messagesPerWriteMax, (replies) => {
  for (const { message, context, body, headers } of replies) {
    try {
      message.respond(body, { headers, reply: context.correlationId ?? "" });
    } catch {
      // The connection is closed. The reply is lost, and the caller's timeout ends its wait.
    }
  }
});

/** The body of a successful reply, and the headers of a page. */
export interface Success {
  readonly body: Uint8Array;
  readonly page?: PageHeaders;
}

/** The encoded reply, or a fault when it is too large for a message. */
export function successOf(operation: Operation, reply: ReplyOf<Operation>): Result<Success, Fault> {
  const success = isPage(operation) ? encodePage(reply) : encodeEnvelope(operation, reply);
  const { length } = success.body;
  if (length <= bodyMaxBytes) return ok(success);
  const logText = `the reply of ${operation.verb} has ${length} bytes`;
  return err(fault("internal_error", { logText }));
}

/** The contract types the reply of each handler; here it is one type for all of them. */
function encodePage(reply: unknown): Success {
  const { bytes, ...page } = reply as PageReply;
  return { body: typeof bytes === "string" ? Buffer.from(bytes) : bytes, page };
}

function encodeEnvelope({ reply }: Operation, { data, paging }: ReplyOf<Operation>): Success {
  const text = JSON.stringify({
    success: true,
    ...(reply.message !== undefined && { message: reply.message }),
    data,
    ...(reply.paging && { [reply.paging]: paging }),
  });
  // `Buffer.from` uses Node's pooled memory; the NATS client's encoder allocates for each message.
  return { body: Buffer.from(text) };
}

export function sendSuccess(
  message: Msg,
  { reply }: Operation,
  context: RequestContext,
  { body, page }: Success,
): void {
  const written = page ? pageHeaders(reply.status, page) : statusHeaders(reply.status);
  send({ message, context, body, headers: written });
}

export function sendFault(
  message: Msg,
  operation: Operation,
  context: RequestContext,
  failure: Fault,
): void {
  const { retryAfterSeconds = defaultRetryAfterSeconds } = failure;
  const retryAfter = failure.retry === "later" ? retryAfterSeconds : undefined;
  const body = formatFailure(failure, operation.errorField, context.requestid);
  send({ message, context, body, headers: statusHeaders(failure.status, retryAfter) });
}

/** Headers with the default Retry-After are few, so they are cached. They must not be changed. */
function statusHeaders(status: number, retryAfter?: number): MsgHdrs {
  const key = `${status} ${retryAfter}`;
  const cached = cachedHeaders.get(key);
  if (cached) return cached;
  const written = headers();
  written.set(replyHeaders.status, String(status));
  if (retryAfter !== undefined) written.set(replyHeaders.retryAfter, String(retryAfter));
  const isCacheable = retryAfter === undefined || retryAfter === defaultRetryAfterSeconds;
  if (isCacheable) cachedHeaders.set(key, written);
  return written;
}

function pageHeaders(status: number, page: PageHeaders): MsgHdrs {
  const written = headers();
  written.set(replyHeaders.status, String(status));
  writePageHeaders(written, page);
  return written;
}
