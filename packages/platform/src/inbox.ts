import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  PermissionViolationError,
} from "@nats-io/nats-core";
import { eachTurn, messagesInOneWrite } from "./turn.ts";

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
  readonly headers: MsgHdrs;
  readonly patienceMs: number;
}

/** Resolves with the one reply; otherwise rejects with one of the errors above. */
export type Ask = (question: Question) => Promise<Msg>;

interface Waiting {
  readonly token: string;
  readonly question: Question;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (reply: Msg) => void;
  readonly reject: (error: Error) => void;
}

/**
 * All requests of a process share one subscription. The client's own way of asking makes an error
 * with its stack trace for every request, answered or not, which costs more than the request.
 */
export function openInbox(nats: NatsConnection, prefix: string): Ask {
  const address = `${createInbox(prefix)}.`;
  const waiting = new Map<string, Waiting>();
  let asked = 0;

  function settle(token: string): Waiting | undefined {
    const found = waiting.get(token);
    if (found) clearTimeout(found.timer);
    waiting.delete(token);
    return found;
  }

  nats.subscribe(`${address}*`, {
    callback: (error, message) => {
      if (error) return;
      const found = settle(message.subject.slice(address.length));
      if (!found) return;
      const isUndelivered = message.data.length === 0 && message.headers?.code === 503;
      if (!isUndelivered) found.resolve(message);
      else found.reject(new NobodyServes(`nobody serves ${found.question.subject}`));
    },
  });
  const refuse = (subject: string) => {
    for (const [token, { question, reject }] of waiting) {
      if (question.subject !== subject) continue;
      settle(token);
      reject(new NotPermitted(`NATS does not permit ${subject}`));
    }
  };
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
      if (status.error.operation === "publish") refuse(status.error.subject);
    }
  })();
  void nats.closed().then(() => {
    for (const token of waiting.keys()) settle(token)?.reject(new NoAnswer("connection closed"));
  });

  /** The client flushes once for whatever is sent in one go. */
  const send = eachTurn<Waiting>(messagesInOneWrite, (all) => {
    for (const { token, question, reject } of all) {
      const { subject, body, headers } = question;
      try {
        nats.publish(subject, body, { reply: address + token, headers });
      } catch (error) {
        settle(token);
        reject(new NoAnswer("not sent", { cause: error }));
      }
    }
  });

  return (question) =>
    new Promise((resolve, reject) => {
      asked += 1;
      const token = asked.toString(36);
      const timer = setTimeout(() => {
        waiting.delete(token);
        reject(new NoAnswer(`no answer within ${question.patienceMs} ms`));
      }, question.patienceMs);
      const one = { token, question, timer, resolve, reject };
      waiting.set(token, one);
      send(one);
    });
}
