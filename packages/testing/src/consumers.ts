import { consumerNameOf, consumersOf, type ServiceName, streamName } from "@malipo/contracts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** Counts the events that the consumers of these services have not received or not acknowledged. */
export async function countUnhandledEvents(
  nats: NatsConnection,
  namespace: string,
  services: readonly ServiceName[],
): Promise<number> {
  const manager = await jetstreamManager(nats);
  const unhandled = services.flatMap(consumersOf).map(async (consumer) => {
    const name = consumerNameOf(consumer);
    const info = await manager.consumers.info(streamName(namespace, "event"), name);
    return info.num_pending + info.num_ack_pending;
  });
  return (await Promise.all(unhandled)).reduce((sum, count) => sum + count, 0);
}

/** Deletes the consumers of a service: it receives every event of the stream again. */
export async function deleteConsumers(
  nats: NatsConnection,
  namespace: string,
  service: ServiceName,
): Promise<void> {
  const manager = await jetstreamManager(nats);
  for (const consumer of consumersOf(service)) {
    await manager.consumers.delete(streamName(namespace, "event"), consumerNameOf(consumer));
  }
}
