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
import { writePageHeaders } from "./page-headers.ts";
import type { RequestContext } from "./request-context.ts";
import { eachTurn, messagesInOneWrite } from "../batching/turn.ts";

const usualRetryAfterSeconds = 1;
const headersOfAnswer = new Map<string, MsgHdrs>();
/** NATS refuses a message over 1 MB, headers included. */
const bodyMaxBytes = 1_000_000;

interface Sending {
  readonly message: Msg;
  readonly context: RequestContext;
  readonly body: string | Uint8Array;
  readonly headers: MsgHdrs;
}

/** The client flushes once for whatever is sent in one go. */
const send = eachTurn<Sending>(messagesInOneWrite, (sendings) => {
  for (const { message, context, body, headers } of sendings) {
    try {
      message.respond(body, { headers, reply: context.ticket ?? "" });
    } catch {
      // The connection was closed meanwhile: nobody can be told, and the caller's time will run out.
    }
  }
});

/** A success as it is sent. */
export interface Success {
  readonly body: Uint8Array;
  readonly page?: PageHeaders;
}

/** The whole of a success, or a fault where it cannot be sent. */
export function successOf(operation: Operation, reply: ReplyOf<Operation>): Result<Success, Fault> {
  const success = isPage(operation) ? pageOf(reply) : envelopeOf(operation, reply);
  const { length } = success.body;
  if (length <= bodyMaxBytes) return ok(success);
  const detail = `the answer of ${operation.verb} has ${length} bytes`;
  return err(fault("internal_error", { detail }));
}

/** What handlers answer is typed by their contract; here it is one type for all of them. */
function pageOf(reply: unknown): Success {
  const { bytes, ...page } = reply as PageReply;
  return { body: typeof bytes === "string" ? Buffer.from(bytes) : bytes, page };
}

function envelopeOf({ reply }: Operation, { data, paging }: ReplyOf<Operation>): Success {
  const text = JSON.stringify({
    success: true,
    ...(reply.message !== undefined && { message: reply.message }),
    data,
    ...(reply.paging && { [reply.paging]: paging }),
  });
  // Written into memory that is there already, where the client's encoder asks for some of its own.
  return { body: Buffer.from(text) };
}

export function succeed(
  message: Msg,
  { reply }: Operation,
  context: RequestContext,
  { body, page }: Success,
): void {
  const written = page ? pageHeaders(reply.status, page) : answerHeaders(reply.status);
  send({ message, context, body, headers: written });
}

export function refuse(
  message: Msg,
  operation: Operation,
  context: RequestContext,
  refusal: Fault,
): void {
  const { retryAfterSeconds = usualRetryAfterSeconds } = refusal;
  const retryAfter = refusal.retry === "later" ? retryAfterSeconds : undefined;
  const body = formatFailure(refusal, operation.errorField, context.requestid);
  send({ message, context, body, headers: answerHeaders(refusal.status, retryAfter) });
}

/** There are only so many usual ones, and nobody writes into their headers once they are made. */
function answerHeaders(status: number, retryAfter?: number): MsgHdrs {
  const key = `${status} ${retryAfter}`;
  const known = headersOfAnswer.get(key);
  if (known) return known;
  const written = headers();
  written.set(replyHeaders.status, String(status));
  if (retryAfter !== undefined) written.set(replyHeaders.retryAfter, String(retryAfter));
  const isUsual = retryAfter === undefined || retryAfter === usualRetryAfterSeconds;
  if (isUsual) headersOfAnswer.set(key, written);
  return written;
}

function pageHeaders(status: number, page: PageHeaders): MsgHdrs {
  const written = headers();
  written.set(replyHeaders.status, String(status));
  writePageHeaders(written, page);
  return written;
}
