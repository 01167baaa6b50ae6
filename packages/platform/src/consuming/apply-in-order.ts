import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumerContract,
  consumerNameOf,
  type EventOf,
  type EventPattern,
} from "@malipo/contracts";
import type { Service } from "../service/index.ts";
import { publishDeadLetter } from "./dead-letters.ts";
import { type Delivery, runHandler, startDelivery } from "./run-handler.ts";
import type { BatchedEvent } from "./event-batch.ts";
import type { EventHandler } from "./handler.ts";
import { retryDelayOf } from "./settlement.ts";

const deadLetterRetryMs = 500;

type Event = EventOf<EventPattern>;

/** Processes a batch. False if the service stops before all events are done or dead-lettered. */
export async function applyInOrder(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
  events: readonly BatchedEvent<Event>[],
): Promise<boolean> {
  const deliveries: Delivery<Event>[] = [];
  const consumer = consumerNameOf(contract);
  for (const source of events) {
    const { event } = source;
    if (typeof event !== "string") {
      deliveries.push(startDelivery(service.tracer, consumer, source, event));
    } else if (!(await deadLetter(service, consumer, source, event))) return false;
  }
  const outcome =
    deliveries.length === 0
      ? []
      : await runHandler(service, { name: consumer, handle }, deliveries);
  if (outcome === "stopped") return false;
  const failed = outcome === "threw" ? undefined : new Set(outcome.map(({ event }) => event));
  const toRetry = deliveries.filter(({ event }) => failed?.has(event.id) ?? true);
  if (failed) for (const { event, span } of deliveries) if (!failed.has(event.id)) span?.end();
  countDone(service, consumer, deliveries.length - toRetry.length);
  for (const delivery of toRetry) {
    const problem = await retryInPlace(service, contract, handle, delivery);
    delivery.span?.end(problem === null ? {} : { problem });
    if (problem === "stopped") return false;
  }
  return true;
}

function countDone({ metrics }: Service, consumer: string, count: number): void {
  metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome: "done" }, count);
}

/**
 * Retries an event while all later events wait: no event may overtake it. It is dead-lettered after
 * the last attempt. Null if an attempt succeeds.
 */
async function retryInPlace(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
  delivery: Delivery<Event>,
): Promise<"stopped" | "dead-lettered" | null> {
  const { signal } = service.shutdown;
  const consumer = consumerNameOf(contract);
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await runHandler(service, { name: consumer, handle }, [delivery]);
    if (outcome === "stopped" || outcome === "threw") return "stopped";
    const [failure] = outcome;
    if (!failure) {
      countDone(service, consumer, 1);
      return null;
    }
    if (attempts >= contract.attemptsMax) {
      const isStored = await deadLetter(service, consumer, delivery.source, failure.reason);
      return isStored ? "dead-lettered" : "stopped";
    }
    const fields = { consumer, ...failure, attempts, trace_id: delivery.span?.traceid };
    service.log.warn(fields, "event failed; will retry");
    const delayMs = retryDelayOf(contract, attempts, service.random());
    await sleep(delayMs, undefined, { signal }).catch(() => {});
  }
}

/** Repeats until the dead letter is stored. False if the service stops before. */
async function deadLetter(
  { wire, config, log, metrics, shutdown }: Service,
  consumer: string,
  source: BatchedEvent<Event>,
  reason: string,
): Promise<boolean> {
  const { seq } = source.batch.message;
  while (!shutdown.signal.aborted) {
    try {
      await publishDeadLetter(wire.nats, config.NAMESPACE, consumer, source, reason);
      metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome: "dead" });
      log.error({ consumer, seq, reason }, "event dead-lettered");
      return true;
    } catch (error) {
      log.error({ err: error, consumer, seq }, "dead letter not stored; will retry");
      const { signal } = shutdown;
      await sleep(deadLetterRetryMs, undefined, { signal }).catch(() => {});
    }
  }
  return false;
}
