import { type EventEnvelope, eventSubject, streamName } from "@malipo/contracts";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
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

const publishedAtOnce = 500;

/** Puts events on the stream as their services would; where NATS asks for a user, as that user. */
export async function publishEvents(
  { natsUrl, namespace }: Pick<SharedServers, "natsUrl" | "namespace">,
  events: readonly EventEnvelope[],
  user: { readonly user?: string; readonly pass?: string } = {},
): Promise<void> {
  const nats = await connect({ servers: natsUrl, noAsyncTraces: true, ...user });
  const stream = jetstream(nats);
  try {
    for (let from = 0; from < events.length; from += publishedAtOnce) {
      await Promise.all(
        events.slice(from, from + publishedAtOnce).map((event) =>
          stream.publish(eventSubject(namespace, event.type), JSON.stringify(event), {
            msgID: event.id,
          }),
        ),
      );
    }
  } finally {
    await nats.close();
  }
}
