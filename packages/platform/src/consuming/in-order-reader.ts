import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumerContract,
  consumerNameOf,
  type EventOf,
  type EventPattern,
  eventSubject,
  streamName,
} from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import type { Service } from "../service/index.ts";
import { applyInOrder } from "./apply-in-order.ts";
import { type BatchedEvent, eventsOf, messageIdOf, readEvent } from "./event-batch.ts";
import { gatherBatches } from "./gather-batches.ts";
import type { EventHandler } from "./handler.ts";
import { acquireReaderLease, type ReaderLease, type StreamPosition } from "./reader-lease.ts";

const restartDelayMs = 500;
const renewEveryMs = 3 * secondMs;
/** After a crash, events of this last half second are processed again, which changes nothing. */
const storePositionEveryMs = 500;
/** How often a process without the lease tries to acquire it. */
const acquireEveryMs = 2 * secondMs;
const consumerExpiresMs = 60 * secondMs;

type Event = EventOf<EventPattern>;

/**
 * Reads the event stream in its order, in one process at a time, from a position in the service's
 * own database. JetStream may lose messages that it acknowledged, or begin a new stream: the position
 * counts only while the stream still holds that very message.
 */
export async function runInOrderReader(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
): Promise<void> {
  const { signal } = service.shutdown;
  const name = consumerNameOf(contract);
  while (!signal.aborted) {
    let lease: ReaderLease | undefined;
    try {
      lease = await acquireReaderLease(service.store.db, name, service.clock);
      if (lease) await readWhileLeased(service, contract, handle, lease);
      else await sleep(acquireEveryMs, undefined, { signal });
    } catch (error) {
      if (signal.aborted) break;
      service.log.warn({ err: error, consumer: name }, "in-order reader failed; will restart");
      await sleep(restartDelayMs, undefined, { signal }).catch(() => {});
    } finally {
      await lease?.end().catch(() => {});
    }
  }
}

async function readWhileLeased(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
  lease: ReaderLease,
): Promise<void> {
  const { shutdown } = service;
  const messages = await openMessages(service, contract, lease.position);
  const stop = () => void messages.close();
  shutdown.signal.addEventListener("abort", stop, { once: true });
  // The signal may have come while the messages were being opened.
  if (shutdown.signal.aborted) stop();
  const renewing = setInterval(() => void renewOrStop(lease, stop), renewEveryMs);
  try {
    let expectedDelivery = 1;
    let storedMs = -Infinity;
    for await (const events of gatherBatches(readMessages(messages), contract)) {
      for (const { batch, index } of events) {
        if (index > 0) continue;
        const { deliverySequence } = batch.message.info;
        if (deliverySequence !== expectedDelivery) throw new Error("a message did not arrive");
        expectedDelivery += 1;
      }
      if (!(await applyInOrder(service, contract, handle, events))) return;
      const position = positionAfter(events);
      if (position) lease.advance(position);
      if (performance.now() - storedMs < storePositionEveryMs) continue;
      if (!(await lease.renew())) return;
      storedMs = performance.now();
    }
  } finally {
    clearInterval(renewing);
    service.consumers.delete(consumerNameOf(contract));
    shutdown.signal.removeEventListener("abort", stop);
    await messages.close();
  }
}

async function renewOrStop(lease: ReaderLease, stop: () => void): Promise<void> {
  // While the store is away, no other process can take the lease either.
  const isHeld = await lease.renew().catch(() => true);
  if (!isHeld) stop();
}

async function* readMessages(
  messages: AsyncIterable<JsMsg>,
): AsyncGenerator<readonly BatchedEvent<Event>[]> {
  for await (const message of messages) yield eventsOf(message, readEvent);
}

/** The last message whose events are all in this batch or an earlier one. */
function positionAfter(events: readonly BatchedEvent<Event>[]): StreamPosition | undefined {
  const last = events.findLast(({ batch, index }) => index === batch.size - 1)?.batch.message;
  return last && { seq: last.seq, messageid: messageIdOf(last) };
}

/** Without acks, because the position is stored elsewhere; delivery numbers reveal a lost message. */
async function openMessages(
  { wire, config, consumers }: Service,
  contract: ConsumerContract,
  position: StreamPosition | undefined,
): Promise<ConsumerMessages> {
  const manager = await jetstreamManager(wire.nats);
  const stream = streamName(config.NAMESPACE, "event");
  const { name } = await manager.consumers.add(stream, {
    filter_subject: eventSubject(config.NAMESPACE, contract.event),
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: await firstSequence(manager, stream, position),
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(consumerExpiresMs),
    mem_storage: true,
    num_replicas: 1,
  });
  const consumer = await jetstream(wire.nats).consumers.get(stream, name);
  consumers.set(consumerNameOf(contract), consumer);
  return consumer.consume({
    max_messages: contract.batchMax,
    abort_on_missing_resource: true,
  });
}

/** After the position if the stream still holds its message, else the oldest message. */
async function firstSequence(
  manager: JetStreamManager,
  stream: string,
  position: StreamPosition | undefined,
): Promise<number> {
  const { state } = await manager.streams.info(stream);
  const oldest = Math.max(1, state.first_seq);
  if (!position || position.seq > state.last_seq) return oldest;
  if (position.seq < oldest) return oldest;
  const last = await manager.streams.getMessage(stream, { seq: position.seq });
  return last?.header.get("Nats-Msg-Id") === position.messageid ? position.seq + 1 : oldest;
}
