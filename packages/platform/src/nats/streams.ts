import { type ConsumerSettings, streamName, streams, type StreamKey } from "@malipo/contracts";
import { minuteMs } from "@malipo/core";
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
  type StreamConfig,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import type { NatsConnection } from "@nats-io/transport-node";

/** A message published twice in this time is stored once; later, consumers ignore duplicates. */
const duplicateWindowMs = 2 * minuteMs;

/** Creates missing streams and updates changed ones; several processes may do so at once. */
export async function ensureStreams(
  nats: NatsConnection,
  namespace: string,
  replicas: number,
): Promise<void> {
  const manager = await jetstreamManager(nats);
  for (const config of streamConfigs(namespace, replicas)) {
    await manager.streams.add(config).catch(() => manager.streams.update(config.name, config));
  }
}

export function streamConfigs(namespace: string, replicas: number) {
  return Object.entries(streams).map(([key, { subjects, maxAgeMs }]) => ({
    name: streamName(namespace, key as StreamKey),
    subjects: [`${namespace}.${subjects}`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    max_age: nanos(maxAgeMs),
    duplicate_window: nanos(duplicateWindowMs),
  }));
}

const streamNotFound = 10_059;

/** The number of replicas of each stream. A missing stream is left out. */
export async function findStreamReplicas(
  nats: NatsConnection,
  namespace: string,
): Promise<ReadonlyMap<StreamKey, number>> {
  const manager = await jetstreamManager(nats);
  const lookups = Object.keys(streams).map(async (key) => {
    const found = await findStreamConfig(manager, streamName(namespace, key as StreamKey));
    return found ? [[key as StreamKey, found.num_replicas] as const] : [];
  });
  return new Map((await Promise.all(lookups)).flat());
}

/** Null if there is no such stream. */
export async function findStreamConfig(
  manager: JetStreamManager,
  name: string,
): Promise<StreamConfig | null> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === streamNotFound) return null;
    throw error;
  }
}

const messagesMax = 100;

/** How many messages to pull for one batch. A message may carry several events. */
export function messagesPerBatch({ batchMax }: ConsumerSettings): number {
  return Math.min(batchMax, messagesMax);
}

interface ConsumedStream extends ConsumerSettings {
  readonly name: string;
  readonly stream: StreamKey;
  readonly subject: string;
}

/** Creates the durable consumer, or updates it. */
export async function ensureConsumer(
  nats: NatsConnection,
  namespace: string,
  consumed: ConsumedStream,
): Promise<Consumer> {
  const manager: JetStreamManager = await jetstreamManager(nats);
  const { name, subject } = consumed;
  const stream = streamName(namespace, consumed.stream);
  await manager.consumers.add(stream, {
    durable_name: name,
    filter_subject: subject,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(consumed.ackWaitMs),
    // Crashes and pauses cause deliveries too. Only failed attempts of the handler end retries.
    max_deliver: -1,
    max_ack_pending: 10 * messagesPerBatch(consumed),
  });
  return jetstream(nats).consumers.get(stream, name);
}
