import { consumerNameOf, consumersOf, type ServiceName, streamName } from "@malipo/contracts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** How many events these services have not heard of yet, or not said so. */
export async function countUnhandledEvents(
  nats: NatsConnection,
  namespace: string,
  services: readonly ServiceName[],
): Promise<number> {
  const manager = await jetstreamManager(nats);
  const unheard = services.flatMap(consumersOf).map(async (consumer) => {
    const name = consumerNameOf(consumer);
    const info = await manager.consumers.info(streamName(namespace, "event"), name);
    return info.num_pending + info.num_ack_pending;
  });
  return (await Promise.all(unheard)).reduce((sum, count) => sum + count, 0);
}

/** The server no longer knows what the service has heard: it hears all of it again, from the beginning. */
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
