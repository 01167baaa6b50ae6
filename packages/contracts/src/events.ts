import type { z } from "zod";
import { businessEvents } from "./business.ts";
import { customerEvents } from "./customer.ts";
import type { EventEnvelope } from "./event.ts";
import { creditEvents, invoiceEvents } from "./invoice-events.ts";
import { paymentEvents } from "./payment.ts";
import { productEvents } from "./product.ts";
import type { ServiceName } from "./route.ts";
import { subscriptionEvents } from "./subscription.ts";
import { taxEvents } from "./tax.ts";

/** Every event of the system. */
export const events = {
  ...businessEvents,
  ...productEvents,
  ...customerEvents,
  ...paymentEvents,
  ...invoiceEvents,
  ...creditEvents,
  ...subscriptionEvents,
  ...taxEvents,
} as const;

/** Who says what happened to what: each noun has one service that writes it. */
export const publishers: { readonly [Noun in NounOf<EventType>]: ServiceName } = {
  business: "gateway",
  product: "invoice",
  customer: "invoice",
  tax: "invoice",
  invoice: "invoice",
  credit: "invoice",
  payment: "payment",
  subscription: "subscription",
};

export type EventType = keyof typeof events;
export type EventData<Type extends EventType> = z.infer<(typeof events)[Type]["data"]>;
export type EventInside<Type extends EventType> = z.infer<(typeof events)[Type]["inside"]>;
/** What a decision says happened; its number and moment come with the write. */
export type NewEvent = {
  [Type in EventType]: {
    readonly type: Type;
    readonly data: EventData<Type>;
  } & (undefined extends EventInside<Type>
    ? { readonly inside?: undefined }
    : { readonly inside: EventInside<Type> });
}[EventType];

/** What businesses may hear of. */
export const publicEventTypes: readonly EventType[] = (Object.keys(events) as EventType[]).filter(
  (type) => events[type].audience === "public",
);

/** Those of which another service makes a record of its own: whether it is there, is compared. */
export const comparedEvents: readonly EventType[] = ["subscription.billed", "payment.completed"];

/** One type of event, all of one noun, or simply all. */
export type EventPattern = EventType | `${NounOf<EventType>}.*` | "*";
type NounOf<Type extends EventType> = Type extends `${infer Noun}.${string}` ? Noun : never;

export type EventOf<Pattern extends EventPattern> = {
  [Type in TypesOf<Pattern>]: EventEnvelope<Type, EventData<Type>, EventInside<Type>>;
}[TypesOf<Pattern>];
type TypesOf<Pattern extends EventPattern> = Pattern extends "*"
  ? EventType
  : Pattern extends `${infer Noun}.*`
    ? Extract<EventType, `${Noun}.${string}`>
    : Extract<EventType, Pattern>;
