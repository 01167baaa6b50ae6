import { type EventOf, events as contracts } from "@malipo/contracts";
import { addMs } from "@malipo/core";
import type { Deliveries } from "./deliveries.ts";
import type { NewDelivery } from "./delivery-documents.ts";
import { deliveryIdOf } from "./delivery.ts";
import { wants } from "./endpoint.ts";
import type { Endpoints } from "./endpoints.ts";
import { eventBody } from "./event-body.ts";
import { type EventLog, keptMs, type LoggedEvent } from "./event-log.ts";
import type { Queues } from "./queues.ts";

const triesMax = 10;

interface Stores {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly queues: Queues;
  readonly log: EventLog;
}

/**
 * Writes events down: first what is to be delivered of them, then the log. So an event that is in
 * the log has all its deliveries, and after a crash in between all of it is done again, which
 * changes nothing that is done. Endpoints are announced as soon as they have something due.
 */
export async function fanOut(
  { endpoints, deliveries, queues, log }: Stores,
  events: readonly EventOf<"*">[],
  now: Date,
  announce: (endpointids: readonly string[]) => void = () => undefined,
): Promise<void> {
  const told = publicOnes(events, now);
  const traces = new Map(events.map(({ id, traceparent }) => [id, traceparent]));
  const businessids = [...new Set(told.map((event) => event.businessid))];
  for (let tries = 0; told.length > 0; tries += 1) {
    if (tries === triesMax) throw new Error("others write the log at the same time");
    const [known, listening] = await Promise.all([
      log.known(told.map(({ id }) => id)),
      endpoints.listening(businessids),
    ]);
    const fresh = told.filter(({ id }) => !known.has(id));
    if (fresh.length === 0) return;
    const wanted = fresh.flatMap((event) =>
      listening
        .filter((one) => one.businessid === event.businessid && wants(one, event.type))
        .map((one) => deliveryOf(event, one.id, now, traces.get(event.id))),
    );
    const due = [...new Set(wanted.map(({ endpointid }) => endpointid))];
    await deliveries.insert(wanted);
    const enabled = new Set(listening.filter((one) => one.enabled).map(({ id }) => id));
    await queues.mark(
      due.map((endpointid) => ({ endpointid, enabled: enabled.has(endpointid) })),
      now,
    );
    announce(due);
    if (await log.append(fresh, now)) return;
  }
}

/** Each once, and none so old that it is forgotten whether it was delivered. */
function publicOnes(events: readonly EventOf<"*">[], now: Date): readonly LoggedEvent[] {
  const oldest = addMs(now, -keptMs);
  const told = events
    .filter(({ type }) => contracts[type].audience === "public")
    .map((event) => ({
      id: event.id,
      businessid: event.businessid,
      type: event.type,
      resourceid: event.recordid,
      sequence: event.seq,
      at: new Date(event.at),
      body: eventBody(event),
    }))
    .filter(({ at }) => at > oldest);
  return [...new Map(told.map((event) => [event.id, event])).values()];
}

function deliveryOf(
  event: LoggedEvent,
  endpointid: string,
  now: Date,
  traceparent: string | undefined,
): NewDelivery {
  return {
    id: deliveryIdOf(event.id, endpointid),
    businessid: event.businessid,
    endpointid,
    eventid: event.id,
    type: event.type,
    resourceid: event.resourceid,
    sequence: event.sequence,
    body: event.body,
    dueat: now,
    createdat: now,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** An event of no record but the endpoint itself, to see whether its receiver hears us. */
export function testDelivery(
  endpoint: { readonly id: string; readonly businessid: string },
  eventid: string,
  now: Date,
  dueat: Date,
): NewDelivery {
  const type = "webhook.test";
  return {
    id: deliveryIdOf(eventid, endpoint.id),
    businessid: endpoint.businessid,
    endpointid: endpoint.id,
    eventid,
    type,
    resourceid: endpoint.id,
    sequence: 1,
    body: eventBody({ id: eventid, type, at: now.toISOString(), data: { webhookid: endpoint.id } }),
    dueat,
    createdat: now,
  };
}
