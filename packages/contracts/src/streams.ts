import { dayMs, secondMs } from "@malipo/core";
import type { EventPattern } from "./events.ts";
import type { ServiceName } from "./route.ts";

export type StreamKey = "event" | "callback" | "dead";

export interface StreamContract {
  readonly subjects: string;
  readonly maxAgeMs: number;
}

export const streams: { readonly [key in StreamKey]: StreamContract } = {
  event: { subjects: "event.>", maxAgeMs: 14 * dayMs },
  callback: { subjects: "callback.>", maxAgeMs: 14 * dayMs },
  dead: { subjects: "dead.>", maxAgeMs: 14 * dayMs },
};

/** The one service that makes the streams, and makes them again when they are lost. */
export const streamKeeper: ServiceName = "gateway";

export interface ConsumerTerms {
  /** How long a batch may go unanswered before another worker gets it. */
  readonly ackWaitMs: number;
  readonly batchMax: number;
  /** Behind a crowd of events, how long more are gathered; only a moment where nothing is said. */
  readonly gatherMs?: number;
  /** Under load a full batch is begun while the one before is worked off, in whatever order. */
  readonly isOverlapping?: boolean;
  /** How often a handler may refuse one message before it is set aside. */
  readonly refusalsMax: number;
  /** The pause after the first refusal; it triples with each further one, up to a minute. */
  readonly refusalDelayMs: number;
  /** Taken by one process at a time, in the stream's order, however often processes end. */
  readonly inOrder?: boolean;
}

export interface ConsumerContract extends ConsumerTerms {
  readonly service: ServiceName;
  readonly event: EventPattern;
}

const usual = {
  ackWaitMs: 30 * secondMs,
  batchMax: 100,
  refusalsMax: 5,
  refusalDelayMs: secondMs,
} as const;

/** What is told of invoices may be gathered: a batch by itself costs what many events do. */
const unhurried = { ...usual, batchMax: 500, gatherMs: 150 } as const;

/** Which service consumes which events. Each needs an entry in its service's table of event handlers. */
const consumerTable = [
  { ...usual, service: "gateway", event: "product.created" },
  { ...usual, service: "invoice", event: "business.*" },
  { ...usual, service: "invoice", event: "payment.*" },
  { ...unhurried, service: "invoice", event: "invoice.*" },
  { ...usual, service: "invoice", event: "credit.*" },
  { ...usual, service: "webhook", event: "*", batchMax: 500, gatherMs: 100, inOrder: true },
  {
    ...usual,
    service: "invoice",
    event: "subscription.billed",
    batchMax: 200,
    gatherMs: 100,
    isOverlapping: true,
  },
  { ...usual, service: "payment", event: "business.*" },
  { ...usual, service: "payment", event: "payment.completed" },
  { ...unhurried, service: "payment", event: "invoice.*" },
  { ...usual, service: "subscription", event: "business.*" },
  { ...usual, service: "subscription", event: "customer.*" },
  { ...unhurried, service: "subscription", event: "invoice.*" },
  { ...usual, service: "subscription", event: "payment.*" },
] as const satisfies readonly ConsumerContract[];

export const consumers: readonly ConsumerContract[] = consumerTable;

/** The patterns of events that a service consumes. */
export type ConsumedEvent<Service extends ServiceName> = Extract<
  (typeof consumerTable)[number],
  { readonly service: Service }
>["event"];

/** Who listens to what providers call back with. */
export const callbackConsumer = { ...usual, name: "payment-callbacks" } as const;

export function consumersOf(service: ServiceName): readonly ConsumerContract[] {
  return consumers.filter((consumer) => consumer.service === service);
}

/** The durable's name, which is also the last word of its dead letters' subject. */
export function consumerNameOf({ service, event }: ConsumerContract): string {
  if (event === "*") return `${service}-on-event`;
  return `${service}-on-${event.replace(".*", "").replaceAll(".", "-")}`;
}
