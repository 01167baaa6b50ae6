import type { KeyObject } from "node:crypto";
import type { Clock } from "@malipo/core";
import { newId } from "@malipo/platform";
import type { AttemptResult, DueDelivery } from "../delivery-documents.ts";
import { interruptedOutcome, outcomeOf } from "../delivery.ts";
import type { Answer, Sender } from "../http/send.ts";
import { signatureHeaders } from "../signature.ts";

export interface Attempting {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly delaysMs: readonly number[];
  readonly random: () => number;
}

interface Receiver {
  readonly url: string;
  readonly keys: readonly KeyObject[];
}

/** One attempt and what it makes of the delivery. */
export async function attempt(
  { sender, clock, delaysMs, random }: Attempting,
  { url, keys }: Receiver,
  delivery: DueDelivery,
  stop: AbortSignal,
): Promise<{ readonly answer: Answer; readonly result: AttemptResult }> {
  const at = clock();
  const started = performance.now();
  const { eventid: id, body } = delivery;
  const headers = {
    "content-type": "application/json",
    "user-agent": "Malipo-Webhook/1",
    ...signatureHeaders({ id, body, at }, keys),
    "webhook-resource": delivery.resourceid,
    "webhook-sequence": String(delivery.sequence),
  };
  const answer = await sender.send({ url, headers, body }, stop);
  const { status, problem, response, retryAfterMs } = answer;
  const now = clock();
  const outcome = answer.interrupted
    ? interruptedOutcome(delivery, problem, now)
    : outcomeOf(delivery, problem, now, { delaysMs, retryAfterMs, random: random() });
  const milliseconds = Math.round(performance.now() - started);
  const attempt = { id: newId(), at, milliseconds, status, problem, response };
  return { answer, result: { delivery, attempt, outcome } };
}
