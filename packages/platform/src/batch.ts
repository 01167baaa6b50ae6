import { setTimeout as sleep } from "node:timers/promises";
import type { JsMsg } from "@nats-io/jetstream";
import type { Consuming, Refusal } from "./consume.ts";
import { type Delivery, type Identified, takeDelivery } from "./delivery.ts";
import { describeError } from "./describe-error.ts";
import { isStoreAway } from "./mongo.ts";
import type { Service } from "./service.ts";
import { runInTrace } from "./trace-scope.ts";
import { createVerdicts } from "./verdict.ts";

const storeRetryMs = 250;
const handOverMs = 500;
/** Only a handler that ends its process gets this far without ever refusing. */
const deliveriesMax = 100;

export type BatchWorker = (messages: readonly JsMsg[]) => Promise<void>;

/** Works off batches for one consumer. Whatever happens, every message gets its verdict. */
export function createBatchWorker<Item extends Identified>(
  service: Service,
  consuming: Consuming<Item>,
): BatchWorker {
  const verdicts = createVerdicts(service, consuming);

  async function apply(deliveries: readonly Delivery<Item>[]): Promise<void> {
    if (deliveries.length === 0) return;
    const outcome = await tryHandling(service, consuming, deliveries);
    // A little later: at once it would come back into the pull that is just closing.
    if (outcome === "stopped") {
      return deliveries.forEach(({ message, span }) => {
        message.nak(handOverMs);
        span?.end({ problem: "stopped" });
      });
    }
    if (outcome === "threw") {
      for (const delivery of deliveries) await apply([delivery]);
      return;
    }
    const reasons = new Map(outcome.map(({ event, reason }) => [event, reason]));
    for (const { message, item, span } of deliveries) {
      const reason = reasons.get(item.id);
      if (reason === undefined) verdicts.done(message);
      else await verdicts.refuse(message, reason, span?.traceid);
      span?.end(reason === undefined ? {} : { problem: "refused" });
    }
  }

  return async (messages) => {
    const heartbeat = setInterval(
      () => messages.forEach((message) => message.working()),
      consuming.ackWaitMs / 3,
    );
    try {
      const deliveries: Delivery<Item>[] = [];
      countRedeliveries(service, consuming, messages);
      for (const message of messages) {
        const item = readMessage(message, consuming.read);
        if (typeof item === "string") await verdicts.setAside(message, item);
        else deliveries.push(takeDelivery(service.tracer, consuming.name, message, item));
      }
      await apply(deliveries);
    } finally {
      clearInterval(heartbeat);
    }
  };
}

function countRedeliveries(
  { metrics }: Service,
  { name }: { readonly name: string },
  messages: readonly JsMsg[],
): void {
  const again = messages.filter(({ info }) => info.deliveryCount > 1).length;
  if (again > 0) metrics.redelivered.inc({ messaging_consumer_group_name: name }, again);
}

/** While the store is away the batch waits in hand: an outage counts against no message. */
export async function tryHandling<Item extends Identified>(
  { store, shutdown, log, metrics }: Service,
  { name, handle }: Pick<Consuming<Item>, "name" | "handle">,
  deliveries: readonly Delivery<Item>[],
): Promise<readonly Refusal[] | "threw" | "stopped"> {
  for (;;) {
    if (store.isAway()) await store.untilBack(shutdown.signal);
    if (shutdown.signal.aborted) return "stopped";
    const started = performance.now();
    const measure = (outcome: "done" | "threw") =>
      metrics.processSeconds.observe(
        { messaging_destination_name: name, outcome },
        (performance.now() - started) / 1_000,
      );
    try {
      const items = deliveries.map(({ item }) => item);
      // Of several, each item says itself where it belongs.
      const trace = deliveries.length === 1 ? deliveries[0]?.span?.traceparent : undefined;
      const refusals = await runInTrace(trace, () => handle(items));
      measure("done");
      return refusals;
    } catch (error) {
      measure("threw");
      if (!isStoreAway(error)) {
        const [only, another] = deliveries;
        if (!only || another) return "threw";
        const line = { event: only.item.id, trace_id: only.span?.traceid };
        log.error({ err: describeError(error), ...line }, "handler threw");
        return [{ event: only.item.id, reason: describeError(error).message }];
      }
      await sleep(storeRetryMs);
    }
  }
}

/** The item, or what is wrong with the message. */
export function readMessage<Item>(
  message: JsMsg,
  read: (message: JsMsg) => Item | string,
): Item | string {
  if (message.info.deliveryCount > deliveriesMax) {
    return `delivered ${deliveriesMax} times without an outcome`;
  }
  try {
    return read(message);
  } catch (error) {
    // The parser's own words would quote the message, and it may hold a customer's data.
    return `unreadable: ${error instanceof SyntaxError ? "not JSON" : String(error)}`;
  }
}
