import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../logging/index.ts";
import { isStoreAway } from "../mongo/index.ts";
import type { Service } from "../service/index.ts";
import { type Span, type Tracer, processSpan, runInTrace } from "../tracing/index.ts";
import type { BatchedEvent } from "./event-batch.ts";
import type { ConsumerDefinition, Identified, HandlerFailure } from "./handler.ts";

/** An event that is given to a handler, and its span. */
export interface Delivery<Event extends Identified> {
  readonly source: BatchedEvent<Event>;
  readonly event: Event;
  readonly span: Span | undefined;
}

export function startDelivery<Event extends Identified>(
  tracer: Tracer | undefined,
  consumer: string,
  source: BatchedEvent<Event>,
  event: Event,
): Delivery<Event> {
  const span = processSpan(tracer, consumer, source.batch, event);
  return { source, event: span ? { ...event, traceparent: span.traceparent } : event, span };
}

const storeRetryMs = 250;

/**
 * Runs the handler on a batch and returns the events that failed; "threw" after an error of a batch
 * of several. While the store is away the batch waits: an outage is no failed attempt.
 */
export async function runHandler<Event extends Identified>(
  { store, shutdown, log, metrics }: Service,
  { name, handle }: Pick<ConsumerDefinition<Event>, "name" | "handle">,
  deliveries: readonly Delivery<Event>[],
): Promise<readonly HandlerFailure[] | "threw" | "stopped"> {
  for (;;) {
    if (store.isAway()) await store.untilBack(shutdown.signal);
    if (shutdown.signal.aborted) return "stopped";
    const startedMs = performance.now();
    const measure = (outcome: "done" | "threw") =>
      metrics.processSeconds.observe(
        { messaging_destination_name: name, outcome },
        (performance.now() - startedMs) / 1_000,
      );
    try {
      const events = deliveries.map(({ event }) => event);
      // In a batch of several, each event carries its own trace.
      const trace = deliveries.length === 1 ? deliveries[0]?.span?.traceparent : undefined;
      const failures = await runInTrace(trace, () => handle(events));
      measure("done");
      return failures;
    } catch (error) {
      measure("threw");
      if (!isStoreAway(error)) {
        const [only, second] = deliveries;
        if (!only || second) return "threw";
        const fields = { event: only.event.id, trace_id: only.span?.traceid };
        log.error({ err: describeError(error), ...fields }, "event handler threw");
        return [{ event: only.event.id, reason: describeError(error).message }];
      }
      await sleep(storeRetryMs);
    }
  }
}
