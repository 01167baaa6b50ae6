import { type EventOf, events as contracts } from "@malipo/contracts";
import { addMs } from "@malipo/core";
import type { Deliveries } from "../store/deliveries.ts";
import type { NewDelivery } from "../store/delivery-document.ts";
import { deliveryIdOf } from "../domain/delivery.ts";
import { wants } from "../domain/endpoint.ts";
import type { Endpoints, Listener } from "../store/endpoints.ts";
import { eventBody } from "../domain/public-event.ts";
import { type EventLog, keptMs, type LoggedEvent } from "../store/event-log.ts";
import type { Queues } from "../store/queues.ts";
import { atOnceMax, type FirstAttempts, timesAtOnce } from "../delivery/first-attempts.ts";

const triesMax = 10;
/** Shorter than any turn at the stream: for so long nobody else can have written anything. */
const aloneMs = 5_000;
/** As many as may be written down of events that are not in the log. */
const doubtfulMax = timesAtOnce * atOnceMax;

interface Stores {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly queues: Queues;
  readonly log: EventLog;
}

interface Workers {
  readonly firstAttempts: FirstAttempts;
  /** Tells all workers that these endpoints have something due. */
  readonly announce: (endpointids: readonly string[]) => void;
}

export type FanOut = (events: readonly EventOf<"*">[], now: Date) => Promise<void>;

/**
 * Writes events down: first what is to be delivered of them, then the log. So an event that is in
 * the log has all its deliveries, and after a crash in between all of it is done again, which
 * changes nothing that is done. What can be delivered at once is, and written down with its
 * outcome; of the rest endpoints are told.
 */
export function createFanOut(stores: Stores, workers: Workers): FanOut {
  const { endpoints, log } = stores;
  let doneAtMs = -Infinity;
  const doubt = { deliveries: doubtfulMax };
  return async (events, now) => {
    let told = publicOnes(events, now);
    if (told.length === 0) return;
    // Events that are not in the log have deliveries all the same if somebody ended in between.
    if (performance.now() - doneAtMs >= aloneMs) doubt.deliveries = doubtfulMax;
    doneAtMs = -Infinity;
    const listening = await endpoints.listening([...new Set(told.map((one) => one.businessid))]);
    const traces = new Map(events.map(({ id, traceparent }) => [id, traceparent]));
    for (let tries = 0; tries < triesMax; tries += 1) {
      // With nobody to send it to, it is soon enough when the log refuses what it has.
      if (listening.length > 0 || tries > 0) {
        const known = await log.known(told.map(({ id }) => id));
        told = told.filter(({ id }) => !known.has(id));
      }
      const batch = { told, listening, traces, doubt, now };
      if (told.length === 0) return;
      if (await writeInSlices(stores, workers, batch)) {
        doneAtMs = performance.now();
        return;
      }
      doubt.deliveries = doubtfulMax;
    }
    throw new Error("others write the log at the same time");
  };
}

interface Batch {
  readonly told: readonly LoggedEvent[];
  readonly listening: readonly Listener[];
  readonly traces: ReadonlyMap<string, string | undefined>;
  /** How many of the next deliveries may be written down already; none that comes after them. */
  readonly doubt: { deliveries: number };
  readonly now: Date;
}

/** In slices: while some are tried and written, the next is begun. False when others write, too. */
async function writeInSlices(stores: Stores, workers: Workers, batch: Batch): Promise<boolean> {
  const { deliveries, log } = stores;
  const underWay: Promise<boolean>[] = [];
  let isLogged = Promise.resolve(true);
  for (let from = 0; from < batch.told.length;) {
    const { events, wanted } = sliceOf(batch, from, workers.firstAttempts.atOnce());
    from += events.length;
    const isNew = batch.doubt.deliveries <= 0;
    batch.doubt.deliveries -= wanted.length;
    const isBeforeLogged = isLogged;
    isLogged = (async () => {
      const known = isNew ? nothing : await deliveries.known(wanted.map(({ id }) => id));
      await tryAndKeep(stores, workers, { wanted, known }, batch);
      return (await isBeforeLogged) && log.append(events, batch.now);
    })();
    // What went wrong is told at the end, when nothing is under way any more.
    isLogged.catch(() => undefined);
    underWay.push(isLogged);
    if (underWay.length === timesAtOnce && !(await underWay.shift()?.catch(() => false))) break;
  }
  await Promise.allSettled(underWay);
  return isLogged;
}

/** From a place on, so many that their deliveries can be tried in a moment. */
function sliceOf(
  batch: Batch,
  from: number,
  deliveriesMax: number,
): { readonly events: readonly LoggedEvent[]; readonly wanted: readonly NewDelivery[] } {
  const events: LoggedEvent[] = [];
  const wanted: NewDelivery[] = [];
  for (const event of batch.told.slice(from)) {
    const more = deliveriesOf(event, batch);
    if (events.length > 0 && wanted.length + more.length > deliveriesMax) break;
    events.push(event);
    wanted.push(...more);
  }
  return { events, wanted };
}

interface Slice {
  readonly wanted: readonly NewDelivery[];
  /** Which of these are written down already. */
  readonly known: ReadonlySet<string>;
}

/** Tries what is new, writes down what is not yet, and tells of all that waits. */
async function tryAndKeep(
  { deliveries, queues }: Stores,
  workers: Workers,
  { wanted, known }: Slice,
  { listening, now }: Batch,
): Promise<void> {
  const enabled = new Set(listening.filter((one) => one.enabled).map(({ id }) => id));
  const fresh = wanted.filter(({ id }) => !known.has(id));
  const tried = await workers.firstAttempts.tryAtOnce(
    fresh.filter(({ endpointid }) => enabled.has(endpointid)),
  );
  const left = [...tried.left, ...fresh.filter(({ endpointid }) => !enabled.has(endpointid))];
  await tried.written;
  await deliveries.insert(left);
  // Who wrote those that are known may have ended before telling anybody.
  const others = wanted.filter(({ id }) => known.has(id));
  const waiting = new Set([...left, ...tried.slow, ...others].map(({ endpointid }) => endpointid));
  const due = listening.filter(({ id }) => waiting.has(id));
  await queues.mark(
    due.map(({ id, enabled }) => ({ endpointid: id, enabled })),
    now,
  );
  workers.announce([...waiting]);
}

const nothing: ReadonlySet<string> = new Set();

function deliveriesOf(
  event: LoggedEvent,
  { listening, traces, now }: Batch,
): readonly NewDelivery[] {
  return listening
    .filter((one) => one.businessid === event.businessid && wants(one, event.type))
    .map((one) => deliveryOf(event, one.id, now, traces.get(event.id)));
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
