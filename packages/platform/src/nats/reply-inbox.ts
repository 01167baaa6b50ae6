import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  PermissionViolationError,
} from "@nats-io/nats-core";
import { evenPatience } from "../timing/rounded-timeout.ts";
import { eachTurn, messagesInOneWrite } from "../batching/turn.ts";

/** Nobody listens to the subject: the request was not delivered. */
export class NobodyServes extends Error {
  override readonly name = "NobodyServes";
}

/** NATS took it from nobody: this user may not say it. */
export class NotPermitted extends Error {
  override readonly name = "NotPermitted";
}

/** It may have been delivered and carried out. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

interface Question {
  readonly subject: string;
  readonly body: Uint8Array | undefined;
  /** What the answer names again, so that it can be no other request's. */
  readonly headers: (ticket: string) => MsgHdrs;
  readonly patienceMs: number;
}

/** Resolves with the one reply; otherwise rejects with one of the errors above. */
export type Ask = (question: Question) => Promise<Msg>;

interface Waiting {
  readonly seat: string;
  readonly ticket: string;
  readonly question: Question;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (reply: Msg) => void;
  readonly reject: (error: Error) => void;
}

/**
 * All requests of a process share one subscription. The client's own way of asking makes an error
 * with its stack trace for every request, answered or not, which costs more than the request.
 *
 * Answers come to few subjects, used again and again: the server looks up, for every connection,
 * who may say what to whom, and remembers only that of the last subjects. A seat whose answer never
 * came stays empty, because it might still come.
 */
export function openInbox(nats: NatsConnection, prefix: string): Ask {
  const address = `${createInbox(prefix)}.`;
  const waiting = new Map<string, Waiting>();
  const freeSeats: string[] = [];
  let seats = 0;
  let asked = 0;

  function settle({ seat, timer }: Waiting): void {
    clearTimeout(timer);
    waiting.delete(seat);
  }

  nats.subscribe(`${address}*`, {
    callback: (error, message) => {
      if (error) return;
      const seat = message.subject.slice(address.length);
      const found = waiting.get(seat);
      if (!found || (message.reply && message.reply !== found.ticket)) return;
      settle(found);
      freeSeats.push(seat);
      const isUndelivered = message.data.length === 0 && message.headers?.code === 503;
      if (!isUndelivered) found.resolve(message);
      else found.reject(new NobodyServes(`nobody serves ${found.question.subject}`));
    },
  });
  void onRefusal(nats, (subject) => {
    for (const one of waiting.values()) {
      if (one.question.subject !== subject) continue;
      settle(one);
      one.reject(new NotPermitted(`NATS does not permit ${subject}`));
    }
  });
  void nats.closed().then(() => {
    for (const one of waiting.values()) {
      settle(one);
      one.reject(new NoAnswer("connection closed"));
    }
  });

  /** The client flushes once for whatever is sent in one go. */
  const send = eachTurn<Waiting>(messagesInOneWrite, (all) => {
    for (const one of all) {
      const { subject, body, headers } = one.question;
      try {
        nats.publish(subject, body, { reply: address + one.seat, headers: headers(one.ticket) });
      } catch (error) {
        settle(one);
        one.reject(new NoAnswer("not sent", { cause: error }));
      }
    }
  });

  return (question) =>
    new Promise((resolve, reject) => {
      asked += 1;
      const seat = freeSeats.pop() ?? (seats++).toString(36);
      const timer = setTimeout(() => {
        waiting.delete(seat);
        reject(new NoAnswer(`no answer within ${question.patienceMs} ms`));
      }, evenPatience(question.patienceMs));
      const one = { seat, ticket: asked.toString(36), question, timer, resolve, reject };
      waiting.set(seat, one);
      send(one);
    });
}

async function onRefusal(nats: NatsConnection, tell: (subject: string) => void): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
    if (status.error.operation === "publish") tell(status.error.subject);
  }
}
