import { type ConsumerSettings, streamName, streams, type StreamKey } from "@malipo/contracts";
import { minuteMs, secondMs } from "@malipo/core";
import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import type { NatsConnection } from "@nats-io/transport-node";
import type { PlatformConfig } from "../config/config.ts";
import type { Log } from "../logging/log.ts";
import type { Wire } from "./connection.ts";
import type { Shutdown } from "../service/shutdown.ts";

/** Publishing twice within this time stores once; every consumer is harmless beyond it anyway. */
const duplicateWindowMs = 2 * minuteMs;

const lookEveryMs = 2 * secondMs;

/** The streams are there when this resolves, and again soon whenever they are lost. */
export async function keepStreams(
  { nats, isConnected }: Wire,
  { NAMESPACE, STREAM_REPLICAS }: PlatformConfig,
  log: Log,
  { signal }: Shutdown,
): Promise<void> {
  const ensure = () => ensureStreams(nats, NAMESPACE, STREAM_REPLICAS);
  await ensure();
  const looking = setInterval(() => {
    if (!isConnected()) return;
    ensure().catch((error: unknown) => log.warn({ err: error }, "streams not looked after"));
  }, lookEveryMs);
  signal.addEventListener("abort", () => clearInterval(looking), { once: true });
}

/** Creates what is missing and widens what has changed; any number of processes may do so at once. */
export async function ensureStreams(
  nats: NatsConnection,
  namespace: string,
  replicas: number,
): Promise<void> {
  const manager = await jetstreamManager(nats);
  for (const [key, { subjects, maxAgeMs }] of Object.entries(streams)) {
    const config = {
      name: streamName(namespace, key as StreamKey),
      subjects: [`${namespace}.${subjects}`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      num_replicas: replicas,
      max_age: nanos(maxAgeMs),
      duplicate_window: nanos(duplicateWindowMs),
    };
    await manager.streams.add(config).catch(() => manager.streams.update(config.name, config));
  }
}

const streamNotFound = 10_059;

/** How many servers keep each stream; one that is not there is left out. */
export async function streamStates(
  nats: NatsConnection,
  namespace: string,
): Promise<ReadonlyMap<StreamKey, number>> {
  const manager = await jetstreamManager(nats);
  const states = Object.keys(streams).map(async (key) => {
    try {
      const { config } = await manager.streams.info(streamName(namespace, key as StreamKey));
      return [[key as StreamKey, config.num_replicas] as const];
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === streamNotFound) return [];
      throw error;
    }
  });
  return new Map((await Promise.all(states)).flat());
}

const messagesMax = 100;

/** As many as are worth having in hand for one: each may tell many things. */
export function messagesOfBatch({ batchMax }: ConsumerSettings): number {
  return Math.min(batchMax, messagesMax);
}

interface ConsumedStream extends ConsumerSettings {
  readonly name: string;
  readonly stream: StreamKey;
  readonly subject: string;
}

export async function ensureConsumer(
  nats: NatsConnection,
  namespace: string,
  consuming: ConsumedStream,
): Promise<Consumer> {
  const manager: JetStreamManager = await jetstreamManager(nats);
  const { name, subject } = consuming;
  const stream = streamName(namespace, consuming.stream);
  await manager.consumers.add(stream, {
    durable_name: name,
    filter_subject: subject,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(consuming.ackWaitMs),
    // Deliveries count crashes and pauses too; what gives up a message is its handler's refusals.
    max_deliver: -1,
    max_ack_pending: 10 * messagesOfBatch(consuming),
  });
  return jetstream(nats).consumers.get(stream, name);
}
