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
import { tryHandling } from "./batch-worker.ts";
import { batchesOf } from "./gather-batches.ts";
import type { EventHandler } from "./consumer.ts";
import { publishDeadLetter } from "./dead-letters.ts";
import { type Delivery, takeDelivery } from "./delivery.ts";
import { type Place, takeTurn, type Turn } from "./reader-lease.ts";
import { type Part, partsOf, wholeIdOf } from "./event-batch.ts";
import { readEvent } from "./read-event.ts";
import type { Service } from "../service/service.ts";
import { refusalDelayOf } from "./settlement.ts";

const restartDelayMs = 500;
const keepEveryMs = 3 * secondMs;
/** What was done since then is done again after a crash, which changes nothing. */
const placeEveryMs = 500;
/** How often a process that is not the one looks whether it may be. */
const lookEveryMs = 2 * secondMs;
const forgottenAfterMs = 60 * secondMs;

type Told = Part<EventOf<EventPattern>>;

/**
 * Takes the stream's messages in their order, one process at a time, from a place that the
 * service's own store remembers. JetStream may lose what it acknowledged or begin anew; the place
 * is believed only while the stream still holds that very message.
 */
export async function followUntilStopped(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
): Promise<void> {
  const { signal } = service.shutdown;
  const name = consumerNameOf(contract);
  while (!signal.aborted) {
    let turn: Turn | undefined;
    try {
      turn = await takeTurn(service.store.db, name, service.clock);
      if (turn) await follow(service, contract, handle, turn);
      else await sleep(lookEveryMs, undefined, { signal });
    } catch (error) {
      if (signal.aborted) break;
      service.log.warn({ err: error, consumer: name }, "follower starts again");
      await sleep(restartDelayMs, undefined, { signal }).catch(() => {});
    } finally {
      await turn?.end().catch(() => {});
    }
  }
}

async function follow(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
  turn: Turn,
): Promise<void> {
  const { shutdown } = service;
  const messages = await openMessages(service, contract, turn.place);
  const stop = () => void messages.close();
  shutdown.signal.addEventListener("abort", stop, { once: true });
  const keeping = setInterval(() => void keepOrStop(turn, stop), keepEveryMs);
  try {
    let expected = 1;
    let keptAtMs = -Infinity;
    for await (const batch of batchesOf(contentsOf(messages), contract)) {
      for (const { parcel, index } of batch) {
        if (index > 0) continue;
        const { deliverySequence } = parcel.message.info;
        if (deliverySequence !== expected) throw new Error("a message did not arrive");
        expected += 1;
      }
      if (!(await applyInOrder(service, contract, handle, batch))) return;
      const place = placeAfter(batch);
      if (place) turn.note(place);
      if (performance.now() - keptAtMs < placeEveryMs) continue;
      if (!(await turn.keep())) return;
      keptAtMs = performance.now();
    }
  } finally {
    clearInterval(keeping);
    service.consumers.delete(consumerNameOf(contract));
    shutdown.signal.removeEventListener("abort", stop);
    await messages.close();
  }
}

async function keepOrStop(turn: Turn, stop: () => void): Promise<void> {
  // A store that is away keeps everybody from taking over, too.
  const isMine = await turn.keep().catch(() => true);
  if (!isMine) stop();
}

async function* contentsOf(messages: AsyncIterable<JsMsg>): AsyncGenerator<readonly Told[]> {
  for await (const message of messages) yield partsOf(message, readEvent);
}

/** After the last message of which nothing is left for the next batch. */
function placeAfter(batch: readonly Told[]): Place | undefined {
  const last = batch.findLast(({ parcel, index }) => index === parcel.size - 1)?.parcel.message;
  return last && { seq: last.seq, messageid: wholeIdOf(last) };
}

/** Without acknowledgements, for the place is kept elsewhere; a gap shows in the numbers. */
async function openMessages(
  { wire, config, consumers }: Service,
  contract: ConsumerContract,
  place: Place | undefined,
): Promise<ConsumerMessages> {
  const manager = await jetstreamManager(wire.nats);
  const stream = streamName(config.NAMESPACE, "event");
  const { name } = await manager.consumers.add(stream, {
    filter_subject: eventSubject(config.NAMESPACE, contract.event),
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: await firstToRead(manager, stream, place),
    ack_policy: AckPolicy.None,
    inactive_threshold: nanos(forgottenAfterMs),
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

async function firstToRead(
  manager: JetStreamManager,
  stream: string,
  place: Place | undefined,
): Promise<number> {
  const { state } = await manager.streams.info(stream);
  const oldest = Math.max(1, state.first_seq);
  if (!place || place.seq > state.last_seq) return oldest;
  if (place.seq < oldest) return oldest;
  const last = await manager.streams.getMessage(stream, { seq: place.seq });
  return last?.header.get("Nats-Msg-Id") === place.messageid ? place.seq + 1 : oldest;
}

/** False when the service stops before all is done. */
async function applyInOrder(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
  batch: readonly Told[],
): Promise<boolean> {
  const deliveries: Delivery<EventOf<EventPattern>>[] = [];
  const consumer = consumerNameOf(contract);
  for (const part of batch) {
    const { item } = part;
    if (typeof item !== "string") {
      deliveries.push(takeDelivery(service.tracer, consumer, part, item));
    } else if (!(await setAside(service, contract, part, item))) return false;
  }
  const outcome =
    deliveries.length === 0
      ? []
      : await tryHandling(service, { name: consumer, handle }, deliveries);
  if (outcome === "stopped") return false;
  const refused = outcome === "threw" ? undefined : new Set(outcome.map(({ event }) => event));
  const again = deliveries.filter(({ item }) => refused?.has(item.id) ?? true);
  if (refused) for (const { item, span } of deliveries) if (!refused.has(item.id)) span?.end();
  countDone(service, contract, deliveries.length - again.length);
  for (const delivery of again) {
    const problem = await insist(service, contract, handle, delivery);
    delivery.span?.end(problem === null ? {} : { problem });
    if (problem === "stopped") return false;
  }
  return true;
}

function countDone({ metrics }: Service, contract: ConsumerContract, count: number): void {
  const messaging_consumer_group_name = consumerNameOf(contract);
  metrics.consumed.inc({ messaging_consumer_group_name, outcome: "done" }, count);
}

/** Nothing may overtake it, so it is tried on the spot, then set aside; null when all is well. */
async function insist(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
  delivery: Delivery<EventOf<EventPattern>>,
): Promise<"stopped" | "set aside" | null> {
  const { signal } = service.shutdown;
  const name = consumerNameOf(contract);
  for (let refusals = 1; ; refusals += 1) {
    const outcome = await tryHandling(service, { name, handle }, [delivery]);
    if (outcome === "stopped" || outcome === "threw") return "stopped";
    const [refusal] = outcome;
    if (!refusal) {
      countDone(service, contract, 1);
      return null;
    }
    if (refusals >= contract.refusalsMax) {
      const isSetAside = await setAside(service, contract, delivery.part, refusal.reason);
      return isSetAside ? "set aside" : "stopped";
    }
    const line = { ...refusal, refusals, trace_id: delivery.span?.traceid };
    service.log.warn(line, "event refused");
    await sleep(refusalDelayOf(contract, refusals), undefined, { signal }).catch(() => {});
  }
}

/** Only with its letter stored may a message be passed over. */
async function setAside(
  { wire, config, log, metrics, shutdown }: Service,
  contract: ConsumerContract,
  part: Told,
  reason: string,
): Promise<boolean> {
  const consumer = consumerNameOf(contract);
  const { seq } = part.parcel.message;
  while (!shutdown.signal.aborted) {
    try {
      await publishDeadLetter(wire.nats, config.NAMESPACE, consumer, part, reason);
      metrics.consumed.inc({ messaging_consumer_group_name: consumer, outcome: "dead" });
      log.error({ consumer, seq, reason }, "event set aside");
      return true;
    } catch (error) {
      log.error({ err: error, consumer }, "dead letter not stored; tried again");
      await sleep(restartDelayMs, undefined, { signal: shutdown.signal }).catch(() => {});
    }
  }
  return false;
}
