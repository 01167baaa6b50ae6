import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  PermissionViolationError,
} from "@nats-io/nats-core";
import { batchPerTick, messagesPerWriteMax } from "../batching/index.ts";
import { roundTimeout } from "../timing/index.ts";

/** No service subscribes to the subject: the request was not delivered. */
export class NoResponder extends Error {
  override readonly name = "NoResponder";
}

/** The NATS user may not publish to the subject: the request was not delivered. */
export class NotPermitted extends Error {
  override readonly name = "NotPermitted";
}

/** No reply arrived in time. The request may have been delivered and carried out. */
export class NoReply extends Error {
  override readonly name = "NoReply";
}

interface NatsRequest {
  readonly subject: string;
  readonly body: Uint8Array | undefined;
  /** The reply repeats the correlation id, so a reply to an earlier request is not taken for it. */
  readonly headers: (correlationId: string) => MsgHdrs;
  readonly timeoutMs: number;
}

/** Resolves with the reply, or rejects with one of the errors above. */
export type SendNatsRequest = (request: NatsRequest) => Promise<Msg>;

interface PendingRequest {
  readonly replySlot: string;
  readonly correlationId: string;
  readonly request: NatsRequest;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (reply: Msg) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Sends requests and matches replies; all requests of a process share one subscription. The client's
 * own `request` creates an error with a stack trace for every request, answered or not, which costs
 * more than the request.
 *
 * Replies come to few subjects, the reply slots, which are used again and again. The server checks
 * for each connection who may publish where, and caches that only for recent subjects. The slot of a
 * request without a reply is never used again, because its reply may still arrive.
 */
export function openReplyInbox(nats: NatsConnection, prefix: string): SendNatsRequest {
  const address = `${createInbox(prefix)}.`;
  const pending = new Map<string, PendingRequest>();
  const freeSlots: string[] = [];
  let slotCount = 0;
  let requestCount = 0;

  function remove({ replySlot, timer }: PendingRequest): void {
    clearTimeout(timer);
    pending.delete(replySlot);
  }

  nats.subscribe(`${address}*`, {
    callback: (error, message) => {
      if (error) return;
      const replySlot = message.subject.slice(address.length);
      const found = pending.get(replySlot);
      if (!found || (message.reply && message.reply !== found.correlationId)) return;
      remove(found);
      freeSlots.push(replySlot);
      const isUndelivered = message.data.length === 0 && message.headers?.code === 503;
      if (!isUndelivered) found.resolve(message);
      else found.reject(new NoResponder(`no service subscribes to ${found.request.subject}`));
    },
  });
  void onPublishDenied(nats, (subject) => {
    for (const each of pending.values()) {
      if (each.request.subject !== subject) continue;
      remove(each);
      each.reject(new NotPermitted(`NATS does not permit ${subject}`));
    }
  });
  void nats.closed().then(() => {
    for (const each of pending.values()) {
      remove(each);
      each.reject(new NoReply("connection closed"));
    }
  });

  /** The client flushes once for all messages that are published in one call. */
  const send = batchPerTick<PendingRequest>(messagesPerWriteMax, (requests) => {
    for (const each of requests) {
      const { subject, body, headers } = each.request;
      try {
        const reply = address + each.replySlot;
        nats.publish(subject, body, { reply, headers: headers(each.correlationId) });
      } catch (error) {
        remove(each);
        each.reject(new NoReply("not sent", { cause: error }));
      }
    }
  });

  return (request) =>
    new Promise((resolve, reject) => {
      requestCount += 1;
      const replySlot = freeSlots.pop() ?? (slotCount++).toString(36);
      const timer = setTimeout(() => {
        pending.delete(replySlot);
        reject(new NoReply(`no reply within ${request.timeoutMs} ms`));
      }, roundTimeout(request.timeoutMs));
      const correlationId = requestCount.toString(36);
      const added = { replySlot, correlationId, request, timer, resolve, reject };
      pending.set(replySlot, added);
      send(added);
    });
}

async function onPublishDenied(
  nats: NatsConnection,
  listener: (subject: string) => void,
): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
    if (status.error.operation === "publish") listener(status.error.subject);
  }
}
