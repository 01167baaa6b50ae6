import { createSigningKey, deliveryHeaders } from "@malipo/core";
import { describeFetchError } from "../../api/api-errors.ts";
import type { FeedEvent } from "./follow-feed.ts";

/** The same as for a real delivery. */
const timeoutMs = 15_000;

/** The outcome of one forwarded event. */
export interface ForwardResult {
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** Why a real delivery would be retried; null if the event was accepted. */
  readonly problem: string | null;
  readonly milliseconds: number;
}

interface Target {
  readonly url: string;
  readonly secret: string;
  readonly clock: () => Date;
  readonly interrupted: AbortSignal;
}

/** Sends an event once, with the body, headers and signature of a real delivery. */
export async function forwardEvent(
  { url, secret, clock, interrupted }: Target,
  { eventid: id, resourceid, sequence, body: value }: FeedEvent,
): Promise<ForwardResult> {
  const body = JSON.stringify(value);
  const headers = deliveryHeaders({ id, body, at: clock(), resourceid, sequence }, [
    createSigningKey(secret),
  ]);
  const startedAt = performance.now();
  const buildResult = (status: number | null, problem: string | null): ForwardResult => ({
    status,
    problem,
    milliseconds: Math.round(performance.now() - startedAt),
  });
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(timeoutMs)]);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    return buildResult(response.status, response.ok ? null : `answered ${response.status}`);
  } catch (error) {
    return buildResult(null, interrupted.aborted ? "interrupted" : describeFetchError(error));
  }
}
