import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumerContract,
  type EventContract,
  type EventEnvelope,
  type EventOf,
  type EventPattern,
  events,
  type EventType,
} from "@malipo/contracts";
import type { JsMsg } from "@nats-io/jetstream";
import type { EventHandler, Refusal } from "./consume.ts";
import { describeError } from "./describe-error.ts";
import { isStoreAway } from "./mongo.ts";
import type { Service } from "./service.ts";
import { createVerdicts } from "./verdict.ts";

const storeRetryMs = 250;
const handOverMs = 500;
/** Only a handler that ends its process gets this far without ever refusing. */
const deliveriesMax = 100;

export interface Delivery {
  readonly message: JsMsg;
  readonly event: EventOf<EventPattern>;
}

export type BatchWorker = (messages: readonly JsMsg[]) => Promise<void>;

/** Works off batches for one consumer. Whatever happens, every message gets its verdict. */
export function createBatchWorker(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
): BatchWorker {
  const verdicts = createVerdicts(service, contract);

  async function apply(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const outcome = await tryHandling(service, handle, deliveries);
    // A little later: at once it would come back into the pull that is just closing.
    if (outcome === "stopped") return deliveries.forEach(({ message }) => message.nak(handOverMs));
    if (outcome === "threw") {
      for (const delivery of deliveries) await apply([delivery]);
      return;
    }
    const reasons = new Map(outcome.map(({ event, reason }) => [event, reason]));
    for (const { message, event } of deliveries) {
      const reason = reasons.get(event.id);
      if (reason === undefined) verdicts.done(message);
      else await verdicts.refuse(message, reason);
    }
  }

  return async (messages) => {
    const heartbeat = setInterval(
      () => messages.forEach((message) => message.working()),
      contract.ackWaitMs / 3,
    );
    try {
      const deliveries: Delivery[] = [];
      for (const message of messages) {
        const event = readEvent(message);
        if (typeof event === "string") await verdicts.setAside(message, event);
        else deliveries.push({ message, event });
      }
      await apply(deliveries);
    } finally {
      clearInterval(heartbeat);
    }
  };
}

/** While the store is away the batch waits in hand: an outage counts against no message. */
export async function tryHandling(
  { store, shutdown, log }: Service,
  handle: EventHandler,
  deliveries: readonly Delivery[],
): Promise<readonly Refusal[] | "threw" | "stopped"> {
  for (;;) {
    if (store.isAway()) await store.untilBack(shutdown.signal);
    if (shutdown.signal.aborted) return "stopped";
    try {
      return await handle(deliveries.map(({ event }) => event));
    } catch (error) {
      if (!isStoreAway(error)) {
        const [only, another] = deliveries;
        if (!only || another) return "threw";
        log.error({ err: describeError(error), event: only.event.id }, "handler threw");
        return [{ event: only.event.id, reason: describeError(error).message }];
      }
      await sleep(storeRetryMs);
    }
  }
}

/** The event, or what is wrong with the message. */
export function readEvent(message: JsMsg): EventOf<EventPattern> | string {
  if (message.info.deliveryCount > deliveriesMax) {
    return `delivered ${deliveriesMax} times without an outcome`;
  }
  try {
    return readEnvelope(message.json<EventEnvelope>());
  } catch (error) {
    // The parser's own words would quote the message, and it may hold a customer's data.
    return `unreadable: ${error instanceof SyntaxError ? "not JSON" : String(error)}`;
  }
}

function readEnvelope(envelope: EventEnvelope): EventOf<EventPattern> | string {
  const contract = events[envelope.type as EventType] as EventContract | undefined;
  if (!contract) return `unreadable: no event is called ${envelope.type}`;
  const data = contract.data.safeParse(envelope.data);
  if (!data.success) return `unreadable: ${data.error.message}`;
  const inside = contract.inside.safeParse(envelope.inside);
  if (!inside.success) return `unreadable inside: ${inside.error.message}`;
  return { ...envelope, data: data.data, inside: inside.data } as EventOf<EventPattern>;
}
