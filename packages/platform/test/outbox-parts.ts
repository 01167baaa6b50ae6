import type { Db } from "mongodb";
import { onTestFinished } from "vitest";
import type { PublisherOptions } from "../src/outbox/publisher.ts";
import type { EventfulCollection } from "../src/outbox/event-document.ts";
import type { OutboxPosition } from "../src/outbox/outbox-position.ts";
import { openPublishers, type Publishers } from "../src/outbox/publishers.ts";
import { createRelay, type Relay } from "../src/outbox/relay.ts";
import { openPublisherStore } from "../src/outbox/stored-outbox.ts";
import { openSweep } from "../src/outbox/sweep.ts";
import type { Service } from "../src/service/service.ts";

/** The publishers as a process of their own sees them, beside those of the test's service. */
export function publishersBeside(
  { store, log }: Service,
  options: Partial<PublisherOptions> = {},
): Publishers {
  const publishers = openPublishers(store.db, {
    clock: () => new Date(),
    log,
    uptimeMs: () => performance.now(),
    ...options,
  });
  onTestFinished(() => publishers.close());
  return publishers;
}

export function relayBeside(service: Service, publishers: Publishers): Relay {
  const { wire, config, metrics, log, tracer } = service;
  return createRelay({
    ask: wire.request,
    namespace: config.NAMESPACE,
    metrics,
    log,
    tracer,
    publishers,
  });
}

interface SweepTimes {
  readonly clock: () => Date;
  readonly uptimeMs?: () => number;
}

/** Sweeps with clocks of its own; each call is one round. */
export function sweepBeside(
  service: Service,
  collection: EventfulCollection,
  { clock, uptimeMs = () => performance.now() }: SweepTimes,
  publishers = publishersBeside(service),
): () => Promise<void> {
  const relay = relayBeside(service, publishers);
  const { metrics, log } = service;
  return openSweep([collection], { relay, publishers, metrics, clock, uptimeMs, log });
}

/** A publisher whose process crashed ten seconds before `now`, with nothing published. */
export async function crashedPublisher(
  db: Db,
  now: Date,
  id = "5a17000000c0ffee",
): Promise<(sequence: number) => OutboxPosition> {
  const lastSignOfLife = new Date(now.getTime() - 10_000);
  await openPublisherStore(db).insert({ id, watermark: 0, lastSignOfLife });
  return (sequence) => ({ publisherId: id, sequence });
}
