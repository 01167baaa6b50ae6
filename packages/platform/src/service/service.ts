import { type ServiceName, streamKeeper } from "@malipo/contracts";
import type { Clock } from "@malipo/core";
import type { PlatformConfig } from "../config/config.ts";
import { type Health, serveHealth } from "./health.ts";
import { createLog, type Log } from "../logging/log.ts";
import { createMetrics, type Metrics } from "../metrics/service-metrics.ts";
import { connectMongo, type Store } from "../mongo/connection.ts";
import { connectNats, type Wire } from "../nats/connection.ts";
import type { EventfulCollection } from "../outbox/event-document.ts";
import { openTracer } from "../tracing/open-tracer.ts";
import { createRelay, type Relay } from "../outbox/relay.ts";
import { createShutdown, type Shutdown } from "./shutdown.ts";
import { keepStreams } from "../nats/streams.ts";
import { openTickets } from "../outbox/publishers.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { type Consumers, measureWire } from "../nats/nats-metrics.ts";

/** What every service stands on: open connections and the way to close them in order. */
export interface Service {
  readonly name: ServiceName;
  readonly config: PlatformConfig;
  readonly clock: Clock;
  /** A number from 0 to below 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** There while traces are sent somewhere. */
  readonly tracer: Tracer | undefined;
  /** What it consumes at the moment. */
  readonly consumers: Consumers;
  readonly wire: Wire;
  readonly store: Store;
  readonly relay: Relay;
  readonly shutdown: Shutdown;
  readonly health: Health;
  isReady(): boolean;
  /** Everything is served: from now on the service says that it is ready. */
  ready(): void;
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
  let served = false;
  let wire: Wire | undefined;
  measureWire(metrics.exported, consumers, () => wire?.isConnected() === true);
  const isReady = () => served && !shutdown.signal.aborted && wire?.isReachable() === true;
  const health = await serveHealth(
    { host: config.HEALTH_HOST, port: config.HEALTH_PORT },
    metrics,
    isReady,
  );
  shutdown.on("connections", () => health.close());

  const [openWire, store, tracer] = await Promise.all([
    connectNats(config, name, log),
    connectMongo(config.MONGODB_URI, `${config.NAMESPACE}_${name}`, log, metrics, shutdown.signal),
    tracerOf(name, config, log),
  ]);
  wire = openWire;
  if (name === streamKeeper) await keepStreams(wire, config, log, shutdown);
  const tickets = openTickets(store.db, clock, log);
  const relay = createRelay({
    tickets,
    ask: wire.ask,
    namespace: config.NAMESPACE,
    clock,
    log,
    metrics,
    tracer,
  });
  shutdown.on("work", () => relay.flush());
  shutdown.on("connections", async () => {
    await openWire.nats.drain();
    await tickets.present.close();
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
    relay,
    shutdown,
    health,
    isReady,
    ready: () => {
      served = true;
      log.info({ health: health.port }, "ready");
    },
  };
}

async function tracerOf(
  service: ServiceName,
  config: PlatformConfig,
  log: Log,
): Promise<Tracer | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  if (endpoint === undefined) return undefined;
  return openTracer({ endpoint, ratio, service, namespace: config.NAMESPACE, log });
}

/** Publishes what a crash left unpublished in these collections, for as long as the service runs. */
export function sweepEvents(service: Service, collections: readonly EventfulCollection[]): void {
  const ended = service.relay.sweep(collections, service.shutdown.signal);
  service.shutdown.on("work", () => ended);
}
