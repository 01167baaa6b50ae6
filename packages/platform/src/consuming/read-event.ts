import {
  type EventContract,
  type EventEnvelope,
  type EventOf,
  type EventPattern,
  events,
  type EventType,
} from "@malipo/contracts";

/** The event, or what is wrong with it. */
export function readEvent(told: unknown): EventOf<EventPattern> | string {
  const envelope = told as EventEnvelope;
  const contract = events[envelope.type as EventType] as EventContract | undefined;
  if (!contract) return `unreadable: no event is called ${envelope.type}`;
  const data = contract.data.safeParse(envelope.data);
  if (!data.success) return `unreadable: ${data.error.message}`;
  const inside = contract.inside.safeParse(envelope.inside);
  if (!inside.success) return `unreadable inside: ${inside.error.message}`;
  return { ...envelope, data: data.data, inside: inside.data } as EventOf<EventPattern>;
}
