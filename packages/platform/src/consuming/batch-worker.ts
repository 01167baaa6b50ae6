import type { Service } from "../service/index.ts";
import { type Delivery, runHandler, startDelivery } from "./run-handler.ts";
import { type BatchedEvent, messagesOf } from "./event-batch.ts";
import type { ConsumerDefinition, Identified } from "./handler.ts";
import { createSettlement } from "./settlement.ts";

export type BatchWorker<Event> = (events: readonly BatchedEvent<Event>[]) => Promise<void>;

/** Processes the batches of one consumer, and settles every message of them. */
export function createBatchWorker<Event extends Identified>(
  service: Service,
  definition: ConsumerDefinition<Event>,
): BatchWorker<Event> {
  const settlement = createSettlement(service, definition);

  async function process(deliveries: readonly Delivery<Event>[]): Promise<void> {
    if (deliveries.length === 0) return;
    const outcome = await runHandler(service, definition, deliveries);
    if (outcome === "stopped") {
      return deliveries.forEach(({ source, span }) => {
        settlement.release(source);
        span?.end({ problem: "stopped" });
      });
    }
    if (outcome === "threw") {
      // Alone, only the event that causes the error fails.
      for (const delivery of deliveries) await process([delivery]);
      return;
    }
    const reasons = new Map(outcome.map(({ event, reason }) => [event, reason]));
    for (const { source, event, span } of deliveries) {
      const reason = reasons.get(event.id);
      if (reason === undefined) settlement.ack(source);
      else await settlement.retry(source, reason, span?.traceid);
      span?.end(reason === undefined ? {} : { problem: "refused" });
    }
  }

  return async (events) => {
    const messages = messagesOf(events);
    const heartbeat = setInterval(
      () => messages.forEach((message) => message.working()),
      definition.ackWaitMs / 3,
    );
    try {
      const deliveries: Delivery<Event>[] = [];
      for (const source of events) {
        if (settlement.skipDuplicate(source)) continue;
        const { event } = source;
        if (typeof event === "string") await settlement.deadLetter(source, event);
        else deliveries.push(startDelivery(service.tracer, definition.name, source, event));
      }
      await process(deliveries);
    } finally {
      clearInterval(heartbeat);
    }
  };
}
