import { failureBody, type Operation, replyHeaders, type ReplyOf } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import { headers, type Msg, type MsgHdrs } from "@nats-io/nats-core";
import type { RequestContext } from "./request-context.ts";
import { eachTurn } from "./turn.ts";

const retryAfterSeconds = 1;
/** NATS refuses a message over 1 MB, headers included. */
const bodyMaxBytes = 1_000_000;

interface Sending {
  readonly message: Msg;
  readonly body: string;
  readonly headers: MsgHdrs;
}

/** The client flushes once for whatever is sent in one go. */
const send = eachTurn<Sending>(Infinity, (sendings) => {
  for (const { message, body, headers } of sendings) {
    try {
      message.respond(body, { headers });
    } catch {
      // The connection was closed meanwhile: nobody can be told, and the caller's time will run out.
    }
  }
});

/** The whole body of a success, or a fault where it cannot be sent. */
export function successBody(
  { reply, verb }: Operation,
  { data, paging }: ReplyOf<Operation>,
): Result<string, Fault> {
  const body = JSON.stringify({
    success: true,
    ...(reply.message !== undefined && { message: reply.message }),
    data,
    ...(reply.paging && { [reply.paging]: paging }),
  });
  const bytes = Buffer.byteLength(body);
  if (bytes <= bodyMaxBytes) return ok(body);
  return err(fault("internal_error", { detail: `the answer of ${verb} has ${bytes} bytes` }));
}

export function succeed(message: Msg, { reply }: Operation, body: string): void {
  const written = headers();
  written.set(replyHeaders.status, String(reply.status));
  send({ message, body, headers: written });
}

export function refuse(
  message: Msg,
  operation: Operation,
  context: RequestContext,
  refusal: Fault,
): void {
  const written = headers();
  written.set(replyHeaders.status, String(refusal.status));
  if (refusal.retry === "later") written.set(replyHeaders.retryAfter, String(retryAfterSeconds));
  const body = failureBody(refusal, operation.errorField, context.requestid);
  send({ message, body, headers: written });
}
