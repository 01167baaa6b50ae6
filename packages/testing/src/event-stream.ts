import { type EventEnvelope, eventSubject, streamName, eventsInMessage } from "@malipo/contracts";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { SharedServers } from "./shared-servers.ts";

/** Reads all events of the stream, in stream order. */
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
      if (message) events.push(...eventsInMessage(message.json<EventEnvelope | EventEnvelope[]>()));
    }
    return events;
  } finally {
    await nats.close();
  }
}

/** Counts the messages that a stream has stored. */
export async function countMessages(
  { natsUrl, namespace }: StreamLocation,
  stream: Parameters<typeof streamName>[1],
): Promise<number> {
  const nats = await connect({ servers: natsUrl });
  try {
    const manager = await jetstreamManager(nats);
    const { state } = await manager.streams.info(streamName(namespace, stream));
    return state.messages;
  } finally {
    await nats.close();
  }
}

const publishBatch = 500;

/** Publishes events to the stream, as services do. */
export interface Publisher {
  publish(events: readonly EventEnvelope[]): Promise<void>;
  close(): Promise<void>;
}

type StreamLocation = Pick<SharedServers, "natsUrl" | "namespace">;

/** `user` is needed where NATS permits no connection without one. */
export async function openPublisher(
  { natsUrl, namespace }: StreamLocation,
  user: { readonly user?: string; readonly pass?: string } = {},
): Promise<Publisher> {
  const nats = await connect({ servers: natsUrl, noAsyncTraces: true, ...user });
  const stream = jetstream(nats);
  return {
    publish: async (events) => {
      for (let from = 0; from < events.length; from += publishBatch) {
        await Promise.all(
          events.slice(from, from + publishBatch).map((event) =>
            stream.publish(eventSubject(namespace, event.type), JSON.stringify(event), {
              msgID: event.id,
            }),
          ),
        );
      }
    },
    close: () => nats.close(),
  };
}

/** Publishes all events over a connection that is closed afterwards. */
export async function publishEvents(
  location: StreamLocation,
  events: readonly EventEnvelope[],
): Promise<void> {
  const publisher = await openPublisher(location);
  try {
    await publisher.publish(events);
  } finally {
    await publisher.close();
  }
}
