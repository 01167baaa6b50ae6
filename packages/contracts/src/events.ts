import type { z } from "zod";
import { businessEvents } from "./business.ts";
import { customerEvents } from "./customer.ts";
import type { EventEnvelope } from "./event.ts";
import { productEvents } from "./product.ts";

/** Every event of the system. */
export const events = { ...businessEvents, ...productEvents, ...customerEvents } as const;

export type EventType = keyof typeof events;
export type EventData<Type extends EventType> = z.infer<(typeof events)[Type]["data"]>;
/** What a decision says happened; its number and moment come with the write. */
export type NewEvent = {
  [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> };
}[EventType];
export type EventOf<Type extends EventType> = EventEnvelope<Type, EventData<Type>>;
