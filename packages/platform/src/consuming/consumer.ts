import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumerContract,
  consumerNameOf,
  consumersOf,
  type ConsumerSettings,
  eventSubject,
} from "@malipo/contracts";
import type { JsMsg } from "@nats-io/jetstream";
import { ensureConsumer, messagesPerBatch } from "../nats/index.ts";
import type { Service } from "../service/index.ts";
import { type BatchWorker, createBatchWorker } from "./batch-worker.ts";
import { type BatchedEvent, eventsOf, readEvent } from "./event-batch.ts";
import { gatherBatches } from "./gather-batches.ts";
import type { ConsumerDefinition, EventHandler, EventHandlerTable, Identified } from "./handler.ts";
import { runInOrderReader } from "./in-order-reader.ts";

const restartDelayMs = 500;

/** Runs every consumer of the service's contract with the handler of its event. */
export function consumeEvents<Deps>(
  service: Service,
  handlers: EventHandlerTable<Deps>,
  deps: Deps,
  contracts: readonly ConsumerContract[] = consumersOf(service.name),
): void {
  for (const contract of contracts) {
    const create = handlers[contract.event];
    if (!create) throw new Error(`${contract.event} is in the contract, but has no handler`);
    const handle = create(deps) as EventHandler;
    if (contract.isOrdered) {
      const ended = runInOrderReader(service, contract, handle);
      service.shutdown.on("intake", () => ended);
      continue;
    }
    runConsumer(service, {
      ...contract,
      name: consumerNameOf(contract),
      stream: "event",
      subject: eventSubject(service.config.NAMESPACE, contract.event),
      read: readEvent,
      handle,
    });
  }
}

/** Consumes until the service stops. */
export function runConsumer<Event extends Identified>(
  service: Service,
  definition: ConsumerDefinition<Event>,
): void {
  const ended = consumeUntilStopped(service, definition);
  service.shutdown.on("intake", () => ended);
}

async function consumeUntilStopped<Event extends Identified>(
  service: Service,
  definition: ConsumerDefinition<Event>,
) {
  const { signal } = service.shutdown;
  const { NAMESPACE } = service.config;
  const work = createBatchWorker(service, definition);
  while (!signal.aborted) {
    try {
      const consumer = await ensureConsumer(service.wire.nats, NAMESPACE, definition);
      service.consumers.set(definition.name, consumer);
      const messages = await consumer.consume({
        max_messages: (definition.hasOverlappingBatches ? 2 : 1) * messagesPerBatch(definition),
        abort_on_missing_resource: true,
      });
      const stop = () => void messages.close();
      signal.addEventListener("abort", stop, { once: true });
      // The signal may have come while the consumer was being opened.
      if (signal.aborted) stop();
      try {
        const events = readMessages(messages, service, definition);
        await processBatches(gatherBatches(events, definition), work, definition);
      } finally {
        signal.removeEventListener("abort", stop);
        await messages.close();
      }
    } catch (error) {
      const fields = { err: error, consumer: definition.name };
      service.log.warn(fields, "consumer failed; will restart");
      await sleep(restartDelayMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function* readMessages<Event extends Identified>(
  messages: AsyncIterable<JsMsg>,
  { metrics }: Service,
  { name, read }: ConsumerDefinition<Event>,
): AsyncGenerator<readonly BatchedEvent<Event>[]> {
  for await (const message of messages) {
    if (message.info.deliveryCount > 1) {
      metrics.redelivered.inc({ messaging_consumer_group_name: name });
    }
    yield eventsOf(message, read);
  }
}

/** With `hasOverlappingBatches`, the next batch starts beside a full one; never more than two at once. */
async function processBatches<Event>(
  batches: AsyncIterable<readonly BatchedEvent<Event>[]>,
  work: BatchWorker<Event>,
  { batchMax, hasOverlappingBatches = false }: ConsumerSettings,
): Promise<void> {
  const inFlight: Promise<void>[] = [];
  try {
    for await (const batch of batches) {
      const working = work(batch);
      // It may reject before it is awaited below; that must not count as an unhandled rejection.
      working.catch(() => {});
      inFlight.push(working);
      const mayStayInFlight = hasOverlappingBatches && batch.length === batchMax ? 1 : 0;
      for (const oldest of inFlight.slice(0, inFlight.length - mayStayInFlight)) {
        await oldest;
        void inFlight.shift();
      }
    }
  } finally {
    await Promise.allSettled(inFlight);
  }
}
