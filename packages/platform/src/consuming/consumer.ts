import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumerContract,
  consumerNameOf,
  type ConsumedEvent,
  consumersOf,
  type ConsumerTerms,
  type EventOf,
  type EventPattern,
  eventSubject,
  type ServiceName,
  type StreamKey,
} from "@malipo/contracts";
import type { JsMsg } from "@nats-io/jetstream";
import { type BatchWorker, createBatchWorker } from "./batch-worker.ts";
import { batchesOf } from "./gather-batches.ts";
import type { Identified } from "./delivery.ts";
import { followUntilStopped } from "./in-order-reader.ts";
import { type Part, partsOf, type Read } from "./event-batch.ts";
import { readEvent } from "./read-event.ts";
import type { Service } from "../service/service.ts";
import { ensureConsumer, messagesOfBatch } from "../nats/streams.ts";

const restartDelayMs = 500;

/** An event that a handler will not take, and why: it is tried again, then set aside. */
export interface Refusal {
  readonly event: string;
  readonly reason: string;
}

/** Applies a batch, harmlessly however often it comes; a batch that throws is tried one by one. */
export type EventHandler<Pattern extends EventPattern = EventPattern> = (
  events: readonly EventOf<Pattern>[],
) => Promise<readonly Refusal[]>;

/**
 * One handler for each pattern of events that a service's contract says it consumes. The compiler
 * refuses a table in which one is missing or takes other events.
 */
export type EventHandlersOf<Name extends ServiceName, Deps> = {
  readonly [Pattern in ConsumedEvent<Name>]: (deps: Deps) => EventHandler<Pattern>;
};

/** The event handlers of any service, after `EventHandlersOf` has checked each. */
export type EventHandlerTable<Deps> = Readonly<
  Record<string, (deps: Deps) => (events: never) => Promise<readonly Refusal[]>>
>;

/** What is listened to, how it is read, and who gets it. */
export interface Consuming<Item extends Identified> extends ConsumerTerms {
  /** The durable's name, which is also the last word of its dead letters' subject. */
  readonly name: string;
  readonly stream: StreamKey;
  readonly subject: string;
  readonly read: Read<Item>;
  readonly handle: (items: readonly Item[]) => Promise<readonly Refusal[]>;
}

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
    if (contract.inOrder) {
      const ended = followUntilStopped(service, contract, handle);
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
export function runConsumer<Item extends Identified>(
  service: Service,
  consuming: Consuming<Item>,
): void {
  const ended = consumeUntilStopped(service, consuming);
  service.shutdown.on("intake", () => ended);
}

async function consumeUntilStopped<Item extends Identified>(
  service: Service,
  consuming: Consuming<Item>,
) {
  const { signal } = service.shutdown;
  const work = createBatchWorker(service, consuming);
  while (!signal.aborted) {
    try {
      const consumer = await ensureConsumer(service.wire.nats, service.config.NAMESPACE, consuming);
      service.consumers.set(consuming.name, consumer);
      const messages = await consumer.consume({
        max_messages: (consuming.isOverlapping ? 2 : 1) * messagesOfBatch(consuming),
        abort_on_missing_resource: true,
      });
      const stop = () => void messages.close();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const told = contentsOf(messages, service, consuming);
        await workOff(batchesOf(told, consuming), work, consuming);
      } finally {
        signal.removeEventListener("abort", stop);
        await messages.close();
      }
    } catch (error) {
      service.log.warn({ err: error, consumer: consuming.name }, "consumer starts again");
      await sleep(restartDelayMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function* contentsOf<Item extends Identified>(
  messages: AsyncIterable<JsMsg>,
  { metrics }: Service,
  { name, read }: Consuming<Item>,
): AsyncGenerator<readonly Part<Item>[]> {
  for await (const message of messages) {
    if (message.info.deliveryCount > 1) {
      metrics.redelivered.inc({ messaging_consumer_group_name: name });
    }
    yield partsOf(message, read);
  }
}

/** Never more than two at once, and a batch that is not full never beside the one after it. */
async function workOff<Item>(
  batches: AsyncIterable<readonly Part<Item>[]>,
  work: BatchWorker<Item>,
  { batchMax, isOverlapping = false }: ConsumerTerms,
): Promise<void> {
  const inHand: Promise<void>[] = [];
  try {
    for await (const batch of batches) {
      const working = work(batch);
      // It may fail before anybody waits for it; whoever does hears of it all the same.
      working.catch(() => {});
      inHand.push(working);
      const beside = isOverlapping && batch.length === batchMax ? 1 : 0;
      for (const oldest of inHand.slice(0, inHand.length - beside)) {
        await oldest;
        void inHand.shift();
      }
    }
  } finally {
    await Promise.allSettled(inHand);
  }
}
