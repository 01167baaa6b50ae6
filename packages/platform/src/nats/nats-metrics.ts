import type { Consumer, ConsumerInfo } from "@nats-io/jetstream";
import { gaugeOnScrape, type Metric, cacheLookup } from "../metrics/index.ts";

/** The consumers that run in this process, by name. */
export type Consumers = Map<string, Consumer>;

type ConsumerStates = ReadonlyMap<string, ConsumerInfo>;

/** The server's view of each consumer. A consumer that the server does not know is left out. */
export async function consumerStates(consumers: Consumers): Promise<ConsumerStates> {
  const lookups = [...consumers].map(async ([name, consumer]) => {
    const info = await consumer.info().catch(() => undefined);
    return info ? ([[name, info]] as const) : [];
  });
  return new Map((await Promise.all(lookups)).flat());
}

const consumerGauges = {
  pending: {
    help: "Messages that were not delivered to the consumer yet",
    valueOf: ({ num_pending }: ConsumerInfo) => num_pending,
  },
  unacknowledged: {
    help: "Messages that were delivered to the consumer and are not settled yet",
    valueOf: ({ num_ack_pending }: ConsumerInfo) => num_ack_pending,
  },
  redelivered: {
    help: "Unsettled messages that were delivered more than once",
    valueOf: ({ num_redelivered }: ConsumerInfo) => num_redelivered,
  },
} as const;

/** Exports whether NATS is connected, and how far each consumer is behind. */
export function measureNats(
  exported: Metric[],
  consumers: Consumers,
  isConnected: () => boolean,
): void {
  gaugeOnScrape(
    exported,
    { name: "malipo_nats_away", help: "1 while there is no connection to NATS" },
    async () => [[{}, isConnected() ? 0 : 1]],
  );
  const findStates = cacheLookup(() => consumerStates(consumers));
  for (const [state, { help, valueOf }] of Object.entries(consumerGauges)) {
    const name = `malipo_consumer_${state}`;
    gaugeOnScrape(exported, { name, help }, async () =>
      [...(await findStates())].map(([consumer, info]) => [{ consumer }, valueOf(info)]),
    );
  }
}
