import type { KeyObject } from "node:crypto";
import { type Clock, deliveryHeaders } from "@malipo/core";
import { newId, type Span, type Tracer } from "@malipo/platform";
import type { AttemptResult, DueDelivery } from "../store/delivery-document.ts";
import { interruptedOutcome, outcomeOf } from "../domain/delivery.ts";
import type { Answer, Sender } from "../http/send.ts";

export interface Attempting {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly delaysMs: readonly number[];
  readonly random: () => number;
  readonly tracer: Tracer | undefined;
}

interface Receiver {
  readonly url: string;
  readonly keys: readonly KeyObject[];
}

/** One attempt and what it makes of the delivery. */
export async function attempt<Tried extends DueDelivery>(
  { sender, clock, delaysMs, random, tracer }: Attempting,
  { url, keys }: Receiver,
  delivery: Tried,
): Promise<{ readonly answer: Answer; readonly result: AttemptResult<Tried> }> {
  const at = clock();
  const started = performance.now();
  const { eventid: id, body } = delivery;
  const { resourceid, sequence } = delivery;
  const headers = deliveryHeaders({ id, body, at, resourceid, sequence }, keys);
  const span = tracer && attemptSpan(tracer, url, delivery);
  const answer = await sender.send({ url, headers, body });
  const { status, problem, response, retryAfterMs } = answer;
  span?.end({
    ...(problem !== null && { problem }),
    attributes: { "http.response.status_code": status ?? undefined },
  });
  const now = clock();
  const outcome = answer.interrupted
    ? interruptedOutcome(delivery, problem, now)
    : outcomeOf(delivery, problem, now, { delaysMs, retryAfterMs, random: random() });
  const milliseconds = Math.round(performance.now() - started);
  const attempt = { id: newId(), at, milliseconds, status, problem, response };
  return { answer, result: { delivery, attempt, outcome } };
}

/** The first attempt belongs to the trace of its event; each later one begins its own, hours after. */
function attemptSpan(
  tracer: Tracer,
  url: string,
  { eventid, type, tries, version, traceparent }: DueDelivery,
): Span {
  return tracer.start({
    name: "POST",
    kind: "client",
    ...(version === 1 ? { parent: traceparent } : { link: traceparent }),
    attributes: {
      "http.request.method": "POST",
      // No more of the address: receivers put secrets into theirs.
      "server.address": new URL(url).hostname,
      "malipo.event.id": eventid,
      "malipo.event.type": type,
      "malipo.tries": tries,
    },
  });
}
