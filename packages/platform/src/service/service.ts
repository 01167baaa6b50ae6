import { type ServiceName, streamOwner } from "@malipo/contracts";
import type { Clock } from "@malipo/core";
import type { PlatformConfig } from "../config/index.ts";
import { createLog, type Log } from "../logging/index.ts";
import { createMetrics, type Metrics } from "../metrics/index.ts";
import { connectMongo, type Store } from "../mongo/index.ts";
import { type Consumers, connectNats, keepStreams, measureNats, type Wire } from "../nats/index.ts";
import { type EventfulCollection, openOutbox, type Outbox } from "../outbox/index.ts";
import { openTracer, type Tracer } from "../tracing/index.ts";
import { type Health, serveHealth } from "./health.ts";
import { createShutdown, type Shutdown } from "./shutdown.ts";

/** The context of one service: its configuration, its open connections, and its shutdown. */
export interface Service {
  readonly name: ServiceName;
  readonly config: PlatformConfig;
  readonly clock: Clock;
  /** A number from 0 to below 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Undefined unless tracing is configured. */
  readonly tracer: Tracer | undefined;
  /** The consumers that run in this process. */
  readonly consumers: Consumers;
  readonly wire: Wire;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly shutdown: Shutdown;
  readonly health: Health;
  isReady(): boolean;
  /** From now on `/readyz` answers 200 while NATS is reachable. */
  markReady(): void;
}

/** The sources of time and chance. Only `main.ts` files and tests make them. */
export interface Sources {
  readonly clock: Clock;
  readonly random: () => number;
}

export async function openService(
  name: ServiceName,
  config: PlatformConfig,
  { clock, random }: Sources,
  onShutdown: (shutdown: Shutdown) => void = () => undefined,
): Promise<Service> {
  const log = createLog(name, config.LOG_LEVEL);
  const metrics = createMetrics(name);
  const consumers: Consumers = new Map();
  const shutdown = createShutdown(log, config.SHUTDOWN_DELAY_MS);
  onShutdown(shutdown);
  let isStarted = false;
  let wire: Wire | undefined;
  measureNats(metrics.exported, consumers, () => wire?.isConnected() === true);
  const isReady = () => isStarted && !shutdown.signal.aborted && wire?.isReachable() === true;
  const health = await serveHealth(
    { host: config.HEALTH_HOST, port: config.HEALTH_PORT },
    metrics,
    isReady,
  );
  shutdown.on("connections", () => health.close());

  const [openWire, store, tracer] = await Promise.all([
    connectNats(config, name, log),
    connectMongo(config.MONGODB_URI, `${config.NAMESPACE}_${name}`, log, metrics, shutdown.signal),
    openTracer(name, config, log),
  ]);
  wire = openWire;
  if (name === streamOwner) await keepStreams(wire, config, log, shutdown.signal);
  const outbox = openOutbox({
    db: store.db,
    ask: wire.request,
    namespace: config.NAMESPACE,
    clock,
    log,
    metrics,
    tracer,
  });
  shutdown.on("work", () => outbox.flush());
  shutdown.on("connections", async () => {
    await openWire.nats.drain();
    await outbox.close();
    await store.close();
    await tracer?.close();
  });
  return {
    name,
    config,
    clock,
    random,
    log,
    metrics,
    tracer,
    consumers,
    wire,
    store,
    outbox,
    shutdown,
    health,
    isReady,
    markReady: () => {
      isStarted = true;
      log.info({ healthPort: health.port }, "ready");
    },
  };
}

/** Publishes events that a crash left unpublished in these collections, until the service stops. */
export function sweepEvents(service: Service, collections: readonly EventfulCollection[]): void {
  const ended = service.outbox.sweep(collections, service.shutdown.signal);
  service.shutdown.on("work", () => ended);
}
