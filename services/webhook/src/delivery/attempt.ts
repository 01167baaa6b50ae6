import type { KeyObject } from "node:crypto";
import { type Clock, deliveryHeaders } from "@malipo/core";
import { newId, type Span, type Tracer } from "@malipo/platform";
import {
  type Answer,
  type AttemptResult,
  cutResponse,
  type DueDelivery,
  interruptedOutcome,
  outcomeOf,
} from "../domain/delivery.ts";
import type { Sender } from "../http/send.ts";

export interface AttemptDeps {
  readonly sender: Sender;
  readonly clock: Clock;
  readonly uptimeMs: () => number;
  readonly delaysMs: readonly number[];
  readonly random: () => number;
  readonly tracer: Tracer | undefined;
}

export interface Target {
  readonly url: string;
  readonly keys: readonly KeyObject[];
}

/** Sends one signed request, and decides how it changes the delivery. */
export async function attempt<Tried extends DueDelivery>(
  { sender, clock, uptimeMs, delaysMs, random, tracer }: AttemptDeps,
  { url, keys }: Target,
  delivery: Tried,
): Promise<{ readonly answer: Answer; readonly result: AttemptResult<Tried> }> {
  const at = clock();
  const startedMs = uptimeMs();
  const { eventid: id, body } = delivery;
  const { resourceid, sequence } = delivery;
  const headers = deliveryHeaders({ id, body, at, resourceid, sequence }, keys);
  const span = tracer && startSpan(tracer, url, delivery);
  const answer = await sender.send({ url, headers, body });
  const { status, problem, retryAfterMs } = answer;
  const response = cutResponse(answer.response);
  span?.end({
    ...(problem !== null && { problem }),
    attributes: { "http.response.status_code": status ?? undefined },
  });
  const now = clock();
  const outcome = answer.isInterrupted
    ? interruptedOutcome(delivery, problem, now)
    : outcomeOf(delivery, problem, now, { delaysMs, retryAfterMs, random: random() });
  const milliseconds = Math.round(uptimeMs() - startedMs);
  const attempt = { id: newId(), at, milliseconds, status, problem, response };
  return { answer, result: { delivery, attempt, outcome } };
}

/** The first attempt belongs to the trace of its event. Later ones, hours after, start their own. */
function startSpan(
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
      // The host only: receivers put secrets into paths and queries.
      "server.address": new URL(url).hostname,
      "malipo.event.id": eventid,
      "malipo.event.type": type,
      "malipo.tries": tries,
    },
  });
}
