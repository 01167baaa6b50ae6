import {
  type EventContract,
  type EventEnvelope,
  type EventOf,
  type EventPattern,
  events,
  type EventType,
} from "@malipo/contracts";

/** The event, or the reason why it does not match its contract. */
export function readEvent(raw: unknown): EventOf<EventPattern> | string {
  const envelope = raw as EventEnvelope;
  const contract = events[envelope.type as EventType] as EventContract | undefined;
  if (!contract) return `unreadable: unknown event type ${envelope.type}`;
  const data = contract.data.safeParse(envelope.data);
  if (!data.success) return `unreadable: ${data.error.message}`;
  const inside = contract.inside.safeParse(envelope.inside);
  if (!inside.success) return `unreadable inside: ${inside.error.message}`;
  return { ...envelope, data: data.data, inside: inside.data } as EventOf<EventPattern>;
}
