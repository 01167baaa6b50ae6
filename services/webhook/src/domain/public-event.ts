import type { EventEnvelope } from "@malipo/contracts";

type Told = Pick<EventEnvelope, "id" | "type" | "at" | "data">;

/** What leaves the system of an event: each family in the shape the interface gives it. */
export function eventBody({ id, type, at, data }: Told): string {
  return JSON.stringify(
    type.startsWith("invoice.")
      ? { event: type, timestamp: at, data }
      : { id, type, created: at, data },
  );
}
