import { createSigningKey, deliveryHeaders } from "@malipo/core";
import { whyUnanswered } from "../failure.ts";
import type { FeedEvent } from "./follow-feed.ts";

/** As long as a delivery waits for its receiver. */
const patienceMs = 15_000;

/** What became of an event at the developer's own address. */
export interface Forwarded {
  readonly status: number | null;
  /** Why a delivery would be tried again; null if it was taken. */
  readonly problem: string | null;
  readonly milliseconds: number;
}

interface Target {
  readonly url: string;
  readonly secret: string;
  readonly clock: () => Date;
  readonly interrupted: AbortSignal;
}

/** One attempt, with the body, headers and signature of a real delivery. */
export async function forward(
  { url, secret, clock, interrupted }: Target,
  { eventid: id, resourceid, sequence, body: value }: FeedEvent,
): Promise<Forwarded> {
  const body = JSON.stringify(value);
  const headers = deliveryHeaders({ id, body, at: clock(), resourceid, sequence }, [
    createSigningKey(secret),
  ]);
  const startedAt = performance.now();
  const ended = (status: number | null, problem: string | null): Forwarded => ({
    status,
    problem,
    milliseconds: Math.round(performance.now() - startedAt),
  });
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(patienceMs)]);
  try {
    const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await answer.body?.cancel();
    return ended(answer.status, answer.ok ? null : `answered ${answer.status}`);
  } catch (error) {
    return ended(null, interrupted.aborted ? "broken off" : whyUnanswered(error));
  }
}
