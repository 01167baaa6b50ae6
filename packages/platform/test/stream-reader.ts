import { type EventEnvelope, streamName } from "@malipo/contracts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { Service } from "../src/service.ts";

/** Everything on the event stream, in its order. */
export async function readStream({ wire, config }: Service): Promise<EventEnvelope[]> {
  const manager = await jetstreamManager(wire.nats);
  const stream = streamName(config.NAMESPACE, "event");
  const { state } = await manager.streams.info(stream);
  const events: EventEnvelope[] = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (message) events.push(message.json<EventEnvelope>());
  }
  return events;
}
