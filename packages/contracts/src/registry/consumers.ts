import { secondMs } from "@malipo/core";
import type { ConsumerSettings } from "../definition/consumer.ts";
import type { ServiceName } from "../definition/service-name.ts";
import type { EventPattern } from "./events.ts";

export interface ConsumerContract extends ConsumerSettings {
  readonly service: ServiceName;
  readonly event: EventPattern;
}

const defaultSettings = {
  ackWaitMs: 30 * secondMs,
  batchMax: 100,
  attemptsMax: 5,
  retryDelayMs: secondMs,
} as const;

/** Invoice events may wait for a larger batch, because a batch costs as much as many events in it. */
const largeBatches = { ...defaultSettings, batchMax: 500, batchWaitMs: 150 } as const;

/** Which service consumes which events. Each needs an entry in its service's table of event handlers. */
const consumerTable = [
  { ...defaultSettings, service: "gateway", event: "product.created" },
  { ...defaultSettings, service: "invoice", event: "business.*" },
  { ...defaultSettings, service: "invoice", event: "payment.*" },
  { ...largeBatches, service: "invoice", event: "invoice.*" },
  { ...defaultSettings, service: "invoice", event: "credit.*" },
  {
    ...defaultSettings,
    service: "webhook",
    event: "*",
    batchMax: 500,
    batchWaitMs: 100,
    isOrdered: true,
  },
  {
    ...defaultSettings,
    service: "invoice",
    event: "subscription.billed",
    batchMax: 200,
    batchWaitMs: 100,
    hasOverlappingBatches: true,
  },
  { ...defaultSettings, service: "payment", event: "business.*" },
  { ...defaultSettings, service: "payment", event: "payment.completed" },
  { ...largeBatches, service: "payment", event: "invoice.*" },
  { ...defaultSettings, service: "subscription", event: "business.*" },
  { ...defaultSettings, service: "subscription", event: "customer.*" },
  { ...largeBatches, service: "subscription", event: "invoice.*" },
  { ...defaultSettings, service: "subscription", event: "payment.*" },
] as const satisfies readonly ConsumerContract[];

export const consumers: readonly ConsumerContract[] = consumerTable;

/** The patterns of events that a service consumes. */
export type ConsumedEvent<Service extends ServiceName> = Extract<
  (typeof consumerTable)[number],
  { readonly service: Service }
>["event"];

/** The consumer of provider callbacks. */
export const callbackConsumer = { ...defaultSettings, name: "payment-callbacks" } as const;

export function consumersOf(service: ServiceName): readonly ConsumerContract[] {
  return consumers.filter((consumer) => consumer.service === service);
}

/** The name of the durable consumer, and the last token of its dead letters' subject. */
export function consumerNameOf({ service, event }: ConsumerContract): string {
  if (event === "*") return `${service}-on-event`;
  return `${service}-on-${event.replace(".*", "").replaceAll(".", "-")}`;
}
