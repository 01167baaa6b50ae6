import { businessEvents } from "../gateway/business.ts";
import { creditEvents } from "../invoice/credit-events.ts";
import { customerEvents } from "../invoice/customer.ts";
import { invoiceEvents } from "../invoice/invoice-events.ts";
import { paymentEvents } from "../payment/payment.ts";
import { productEvents } from "../invoice/product.ts";
import { subscriptionEvents } from "../subscription/subscription-events.ts";
import { taxEvents } from "../invoice/tax.ts";
import type { z } from "zod";
import type { EventEnvelope } from "../definition/event.ts";
import type { ServiceName } from "../definition/service-name.ts";

/** All event types. */
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

/** The one service that publishes the events of each noun. */
export const eventOwners: { readonly [Noun in NounOf<EventType>]: ServiceName } = {
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
/** An event that a decision produces. The write adds its id, sequence number and time. */
export type NewEvent = {
  [Type in EventType]: {
    readonly type: Type;
    readonly data: EventData<Type>;
  } & (undefined extends EventInside<Type>
    ? { readonly inside?: undefined }
    : { readonly inside: EventInside<Type> });
}[EventType];

/** The event types that businesses may receive. */
export const publicEventTypes: readonly EventType[] = (Object.keys(events) as EventType[]).filter(
  (type) => events[type].audience === "public",
);

/** Events from which another service creates a record. Reconciliation checks that the record exists. */
export const reconciledEvents: readonly EventType[] = ["subscription.billed", "payment.completed"];

/** One event type, all types of one noun, or all types. */
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
