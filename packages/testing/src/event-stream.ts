import { type EventEnvelope, streamName } from "@malipo/contracts";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { SharedServers } from "./shared-servers.ts";

/** Everything on the event stream, in its order. */
export async function readEvents({
  natsUrl,
  namespace,
}: Pick<SharedServers, "natsUrl" | "namespace">): Promise<EventEnvelope[]> {
  const nats = await connect({ servers: natsUrl });
  try {
    const manager = await jetstreamManager(nats);
    const stream = streamName(namespace, "event");
    const { state } = await manager.streams.info(stream);
    const events: EventEnvelope[] = [];
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(stream, { seq });
      if (message) events.push(message.json<EventEnvelope>());
    }
    return events;
  } finally {
    await nats.close();
  }
}
