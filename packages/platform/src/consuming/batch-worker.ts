import { setTimeout as sleep } from "node:timers/promises";
import type { Consuming, Refusal } from "./consumer.ts";
import { type Delivery, type Identified, takeDelivery } from "./delivery.ts";
import { describeError } from "../logging/describe-error.ts";
import { isStoreAway } from "../mongo/connection.ts";
import { messagesOf, type Part } from "./event-batch.ts";
import type { Service } from "../service/service.ts";
import { runInTrace } from "../tracing/current-trace.ts";
import { createVerdicts } from "./settlement.ts";

const storeRetryMs = 250;

export type BatchWorker<Item> = (parts: readonly Part<Item>[]) => Promise<void>;

/** Works off batches for one consumer. Whatever happens, every message gets its verdict. */
export function createBatchWorker<Item extends Identified>(
  service: Service,
  consuming: Consuming<Item>,
): BatchWorker<Item> {
  const verdicts = createVerdicts(service, consuming);

  async function apply(deliveries: readonly Delivery<Item>[]): Promise<void> {
    if (deliveries.length === 0) return;
    const outcome = await tryHandling(service, consuming, deliveries);
    if (outcome === "stopped") {
      return deliveries.forEach(({ part, span }) => {
        verdicts.handOver(part);
        span?.end({ problem: "stopped" });
      });
    }
    if (outcome === "threw") {
      for (const delivery of deliveries) await apply([delivery]);
      return;
    }
    const reasons = new Map(outcome.map(({ event, reason }) => [event, reason]));
    for (const { part, item, span } of deliveries) {
      const reason = reasons.get(item.id);
      if (reason === undefined) verdicts.done(part);
      else await verdicts.refuse(part, reason, span?.traceid);
      span?.end(reason === undefined ? {} : { problem: "refused" });
    }
  }

  return async (parts) => {
    const messages = messagesOf(parts);
    const heartbeat = setInterval(
      () => messages.forEach((message) => message.working()),
      consuming.ackWaitMs / 3,
    );
    try {
      const deliveries: Delivery<Item>[] = [];
      for (const part of parts) {
        if (verdicts.passOver(part)) continue;
        const { item } = part;
        if (typeof item === "string") await verdicts.setAside(part, item);
        else deliveries.push(takeDelivery(service.tracer, consuming.name, part, item));
      }
      await apply(deliveries);
    } finally {
      clearInterval(heartbeat);
    }
  };
}

/** While the store is away the batch waits in hand: an outage counts against no message. */
export async function tryHandling<Item extends Identified>(
  { store, shutdown, log, metrics }: Service,
  { name, handle }: Pick<Consuming<Item>, "name" | "handle">,
  deliveries: readonly Delivery<Item>[],
): Promise<readonly Refusal[] | "threw" | "stopped"> {
  for (;;) {
    if (store.isAway()) await store.untilBack(shutdown.signal);
    if (shutdown.signal.aborted) return "stopped";
    const started = performance.now();
    const measure = (outcome: "done" | "threw") =>
      metrics.processSeconds.observe(
        { messaging_destination_name: name, outcome },
        (performance.now() - started) / 1_000,
      );
    try {
      const items = deliveries.map(({ item }) => item);
      // Of several, each item says itself where it belongs.
      const trace = deliveries.length === 1 ? deliveries[0]?.span?.traceparent : undefined;
      const refusals = await runInTrace(trace, () => handle(items));
      measure("done");
      return refusals;
    } catch (error) {
      measure("threw");
      if (!isStoreAway(error)) {
        const [only, another] = deliveries;
        if (!only || another) return "threw";
        const line = { event: only.item.id, trace_id: only.span?.traceid };
        log.error({ err: describeError(error), ...line }, "handler threw");
        return [{ event: only.item.id, reason: describeError(error).message }];
      }
      await sleep(storeRetryMs);
    }
  }
}
