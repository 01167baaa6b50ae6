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
import type { PlatformConfig } from "../config/index.ts";
import type { Log } from "../logging/index.ts";
import type { Wire } from "./connection.ts";

/** A message published twice in this time is stored once; later, consumers ignore duplicates. */
const duplicateWindowMs = 2 * minuteMs;

const checkEveryMs = 2 * secondMs;

/** Creates the streams, and creates them again within seconds when they are lost. */
export async function keepStreams(
  { nats, isConnected }: Wire,
  { NAMESPACE, STREAM_REPLICAS }: PlatformConfig,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const ensure = () => ensureStreams(nats, NAMESPACE, STREAM_REPLICAS);
  await ensure();
  const checking = setInterval(() => {
    if (!isConnected()) return;
    ensure().catch((error: unknown) => log.warn({ err: error }, "streams could not be checked"));
  }, checkEveryMs);
  signal.addEventListener("abort", () => clearInterval(checking), { once: true });
}

/** Creates missing streams and updates changed ones; several processes may do so at once. */
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

/** The number of replicas of each stream. A missing stream is left out. */
export async function findStreamReplicas(
  nats: NatsConnection,
  namespace: string,
): Promise<ReadonlyMap<StreamKey, number>> {
  const manager = await jetstreamManager(nats);
  const lookups = Object.keys(streams).map(async (key) => {
    try {
      const { config } = await manager.streams.info(streamName(namespace, key as StreamKey));
      return [[key as StreamKey, config.num_replicas] as const];
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === streamNotFound) return [];
      throw error;
    }
  });
  return new Map((await Promise.all(lookups)).flat());
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
