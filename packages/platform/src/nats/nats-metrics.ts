import type { Consumer, ConsumerInfo } from "@nats-io/jetstream";
import { gaugeOnScrape } from "../metrics/gauge.ts";
import { recently } from "../metrics/cached-lookup.ts";
import type { Metric } from "../metrics/metric.ts";

/** What this process consumes at the moment, by name. */
export type Consumers = Map<string, Consumer>;

type ConsumerStates = ReadonlyMap<string, ConsumerInfo>;

/** How the server sees each of them; one that it does not know is left out. */
export async function consumerStates(consumers: Consumers): Promise<ConsumerStates> {
  const asked = [...consumers].map(async ([name, consumer]) => {
    const info = await consumer.info().catch(() => undefined);
    return info ? ([[name, info]] as const) : [];
  });
  return new Map((await Promise.all(asked)).flat());
}

/** Whether there is a connection, and how far each consumer is behind, as the server knows it. */
export function measureWire(
  exported: Metric[],
  consumers: Consumers,
  isConnected: () => boolean,
): void {
  gaugeOnScrape(
    exported,
    { name: "malipo_nats_away", help: "1 while there is no connection to NATS" },
    async () => [[{}, isConnected() ? 0 : 1]],
  );
  const look = recently(() => consumerStates(consumers));
  const gauges = {
    pending: "Messages that a consumer has not been given yet",
    unacknowledged: "Messages that are with a consumer's workers and have no verdict yet",
    redelivered: "Messages without a verdict that have been delivered more than once",
  } as const;
  const valueOf: Record<keyof typeof gauges, (info: ConsumerInfo) => number> = {
    pending: ({ num_pending }) => num_pending,
    unacknowledged: ({ num_ack_pending }) => num_ack_pending,
    redelivered: ({ num_redelivered }) => num_redelivered,
  };
  for (const [what, help] of Object.entries(gauges)) {
    const name = `malipo_consumer_${what}`;
    gaugeOnScrape(exported, { name, help }, async () =>
      [...(await look())].map(([consumer, info]) => [
        { consumer },
        valueOf[what as keyof typeof gauges](info),
      ]),
    );
  }
}
