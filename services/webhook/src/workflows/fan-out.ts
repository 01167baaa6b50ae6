import type { EventOf } from "@malipo/contracts";
import { type FirstAttempts, firstAttemptsMax, slicesMax } from "../delivery/first-attempts.ts";
import { type NewDelivery, newDelivery } from "../domain/delivery.ts";
import { subscribesTo } from "../domain/endpoint.ts";
import { type PublicEvent, publicEventsAmong } from "../domain/public-event.ts";
import type { Deliveries } from "../store/deliveries.ts";
import { deliveryIdOf } from "../store/delivery-id.ts";
import type { Endpoints, Subscriber } from "../store/endpoints.ts";
import type { EventLog } from "../store/event-log.ts";
import type { Queues } from "../store/queues.ts";

const triesMax = 10;
/**
 * Shorter than the lease on reading the stream. After a successful write, no other process can have
 * written anything for this long.
 */
const soleWriterMs = 5_000;
/**
 * As many deliveries as a process can store before it crashes without logging their events. Release
 * 0.1.0, which may run beside this one, stores up to 1,200: three batches of 400.
 */
const unloggedMax = Math.max(slicesMax * firstAttemptsMax, 1_200);

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
  readonly uptimeMs: () => number;
}

export type FanOut = (events: readonly EventOf<"*">[], now: Date) => Promise<void>;

/**
 * Stores the deliveries of events, then appends the events to the log. So an event in the log has
 * all its deliveries. After a crash in between, all of it is repeated, which changes nothing that is
 * already done. First attempts are made before that where it is possible (see `FirstAttempts`).
 */
export function createFanOut(stores: Stores, workers: Workers): FanOut {
  const { endpoints, log } = stores;
  let writtenAtMs = -Infinity;
  const unlogged = { deliveriesLeft: unloggedMax };
  return async (consumed, now) => {
    let events = publicEventsAmong(consumed, now);
    if (events.length === 0) return;
    // If another process wrote in between, it may have ended between the deliveries and the log.
    if (workers.uptimeMs() - writtenAtMs >= soleWriterMs) unlogged.deliveriesLeft = unloggedMax;
    writtenAtMs = -Infinity;
    const businessids = new Set(events.map(({ businessid }) => businessid));
    const subscribers = await endpoints.subscribers([...businessids]);
    const traces = new Map(consumed.map(({ id, traceparent }) => [id, traceparent]));
    for (let tries = 0; tries < triesMax; tries += 1) {
      // Without subscribers the first try skips this check: the log itself refuses known events.
      if (subscribers.length > 0 || tries > 0) {
        const known = await log.known(events.map(({ id }) => id));
        events = events.filter(({ id }) => !known.has(id));
      }
      if (events.length === 0) return;
      if (await writeInSlices(stores, workers, { events, subscribers, traces, unlogged, now })) {
        writtenAtMs = workers.uptimeMs();
        return;
      }
      unlogged.deliveriesLeft = unloggedMax;
    }
    throw new Error("other processes write the event log at the same time");
  };
}

interface Batch {
  readonly events: readonly PublicEvent[];
  readonly subscribers: readonly Subscriber[];
  readonly traces: ReadonlyMap<string, string | undefined>;
  /** Only this many of the next deliveries may be stored already; later ones are certainly new. */
  readonly unlogged: { deliveriesLeft: number };
  readonly now: Date;
}

/** Starts the next slice while the ones before it are tried and stored. False: try again. */
async function writeInSlices(stores: Stores, workers: Workers, batch: Batch): Promise<boolean> {
  const { deliveries, log } = stores;
  const underWay: Promise<boolean>[] = [];
  let isLogged = Promise.resolve(true);
  for (let from = 0; from < batch.events.length;) {
    const { events, wanted } = sliceOf(batch, from);
    from += events.length;
    const areNew = batch.unlogged.deliveriesLeft <= 0;
    batch.unlogged.deliveriesLeft -= wanted.length;
    const isLoggedBefore = isLogged;
    isLogged = (async () => {
      const ids = wanted.map(({ id }) => id);
      const known = areNew ? new Set<string>() : await deliveries.known(ids);
      await deliver(stores, workers, { wanted, known }, batch);
      return (await isLoggedBefore) && log.append(events, batch.now);
    })();
    // A failure is reported at the end, when no slice is under way.
    isLogged.catch(() => undefined);
    underWay.push(isLogged);
    if (underWay.length === slicesMax && !(await underWay.shift()?.catch(() => false))) break;
  }
  await Promise.allSettled(underWay);
  return isLogged;
}

interface Slice {
  readonly wanted: readonly NewDelivery[];
  /** Ids of deliveries that are stored already. */
  readonly known: ReadonlySet<string>;
}

/** The next events, with at most `firstAttemptsMax` deliveries unless one event alone has more. */
function sliceOf(batch: Batch, from: number) {
  const events: PublicEvent[] = [];
  const wanted: NewDelivery[] = [];
  for (const event of batch.events.slice(from)) {
    const more = deliveriesOf(event, batch);
    if (events.length > 0 && wanted.length + more.length > firstAttemptsMax) break;
    events.push(event);
    wanted.push(...more);
  }
  return { events, wanted };
}

/** Tries new deliveries, stores the others, and announces all that wait. */
async function deliver(
  { deliveries, queues }: Stores,
  { firstAttempts, announce }: Workers,
  { wanted, known }: Slice,
  { subscribers, now }: Batch,
): Promise<void> {
  const enabled = new Set(subscribers.filter((one) => one.enabled).map(({ id }) => id));
  const fresh = wanted.filter(({ id }) => !known.has(id));
  const tried = await firstAttempts.tryAtOnce(
    fresh.filter(({ endpointid }) => enabled.has(endpointid)),
  );
  const left = [...tried.left, ...fresh.filter(({ endpointid }) => !enabled.has(endpointid))];
  await tried.stored;
  await deliveries.insert(left);
  // The process that stored the known ones may have ended before it announced them.
  const storedBefore = wanted.filter(({ id }) => known.has(id));
  const waiting = new Set(
    [...left, ...tried.slow, ...storedBefore].map(({ endpointid }) => endpointid),
  );
  const due = subscribers.filter(({ id }) => waiting.has(id));
  await queues.mark(
    due.map(({ id, enabled }) => ({ endpointid: id, enabled })),
    now,
  );
  announce([...waiting]);
}

function deliveriesOf(
  event: PublicEvent,
  { subscribers, traces, now }: Batch,
): readonly NewDelivery[] {
  return subscribers
    .filter((one) => one.businessid === event.businessid && subscribesTo(one, event.type))
    .map(({ id }) => {
      const traceparent = traces.get(event.id);
      return newDelivery(deliveryIdOf(event.id, id), event, id, { now, traceparent });
    });
}
