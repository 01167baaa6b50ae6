import { setTimeout as sleep } from "node:timers/promises";
import { eventSubject } from "@malipo/contracts";
import { type Clock, secondMs } from "@malipo/core";
import { headers } from "@nats-io/nats-core";
import type { ObjectId } from "mongodb";
import { openBatchQueue } from "../batching/batch-queue.ts";
import { bodyOf, type Bundle, bundle, messageIdOf, type Outgoing } from "./bundle.ts";
import { describeError } from "../logging/index.ts";
import {
  envelopeOf,
  type EventfulCollection,
  type EventfulDocument,
  historyMax,
  type StoredEvent,
  unpublishedOf,
} from "./event-document.ts";
import type { Ask } from "../nats/index.ts";
import type { Log } from "../logging/index.ts";
import { publishSpan, type Span, traceHeaders, type Tracer } from "../tracing/index.ts";
import type { Metrics } from "../metrics/index.ts";
import { isStoreAway } from "../mongo/connection.ts";
import { NotOnStream } from "./not-on-stream.ts";
import { openSweep } from "./sweep.ts";
import type { Tickets } from "./publishers.ts";

const sweepEveryMs = 2 * secondMs;
const publishTimeoutMs = 5 * secondMs;
const rememberedMax = 10_000;

interface Handed {
  readonly collection: EventfulCollection;
  readonly document: EventfulDocument;
  /** Under which it was written, also before it was as it is now. */
  readonly tickets: readonly ObjectId[];
}

interface Mark {
  readonly id: EventfulDocument["_id"];
  readonly seq: number;
}

export interface Relay {
  readonly tickets: Tickets;
  /** Takes a document as it was just saved and publishes what it has not published. Never throws. */
  hand(collection: EventfulCollection, document: EventfulDocument): void;
  /** For whoever saves many: resolves when what was saved before is published but for a little. */
  room(): Promise<void>;
  /** Publishes what crashes left in these collections, now and again until the signal. */
  sweep(collections: readonly EventfulCollection[], signal: AbortSignal): Promise<void>;
  /** Publishes the given events again, whether they were published or not. */
  publishAgain(document: EventfulDocument, events: readonly StoredEvent[]): Promise<void>;
  /** Resolves when everything handed over has been tried. */
  flush(): Promise<void>;
}

export interface RelayOptions {
  readonly ask: Ask;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly tickets: Tickets;
}

export function createRelay(options: RelayOptions): Relay {
  const { tickets } = options;
  const acknowledged = rememberAcknowledged();
  const queue = openBatchQueue<Handed>(async (batch) => {
    await publishBatch(batch, acknowledged, options).catch((error: unknown) => {
      options.log.warn({ err: error }, "events stay unpublished until the sweep");
      for (const handed of batch) for (const ticket of handed.tickets) tickets.leave(ticket);
    });
  });

  const relay: Relay = {
    tickets,
    hand(collection, document) {
      const { ticket } = document;
      if (ticket && !queue.put({ collection, document, tickets: [ticket] })) tickets.leave(ticket);
    },
    room: queue.room,
    flush: queue.flush,
    publishAgain: async (document, events) => {
      const again = events.map((event) => outgoingOf(options, document, event, true));
      await Promise.all(bundle([again]).map((alone) => publish(options, alone)));
    },
    sweep: async (collections, signal) => {
      const round = openSweep(collections, { ...options, relay });
      while (!signal.aborted) {
        await round().catch((error: unknown) => {
          options.log.warn({ err: error }, "sweep failed");
        });
        await sleep(sweepEveryMs, undefined, { signal }).catch(() => {});
      }
    },
  };
  return relay;
}

/** Publications leave in order and together; a ticket is done when all of its record is acknowledged. */
async function publishBatch(
  batch: readonly Handed[],
  acknowledged: Acknowledged,
  options: RelayOptions,
) {
  const { tickets } = options;
  const records = newestOfEach(batch).map((handed) => {
    const events = unpublishedOf(handed.document);
    const outgoing = events
      .filter(({ id }) => !acknowledged.has(id))
      .map((event) => outgoingOf(options, handed.document, event));
    return { handed, events, outgoing };
  });
  const lost = new Set<StoredEvent>();
  let failure: unknown;
  await Promise.all(
    bundle(records.map(({ outgoing }) => outgoing)).map(async (together) => {
      try {
        await publish(options, together);
        for (const { event } of together.events) acknowledged.note(event.id);
      } catch (error) {
        failure = error;
        for (const { event } of together.events) lost.add(event);
      }
    }),
  );
  const unmarked: Handed[] = [];
  for (const { handed, events } of records) {
    if (events.some((event) => lost.has(event))) continue;
    const isSaid = handed.tickets.map((ticket) => tickets.done(ticket)).at(-1);
    // Who saves a record before its book has come so far keeps all its events: several may do so
    // in turn, and it would grow for as long as they do.
    if (!isSaid || events.length > historyMax) unmarked.push(handed);
  }
  const ofCollections = Map.groupBy(unmarked, ({ collection }) => collection);
  await Promise.all(
    [...ofCollections].map(([collection, of]) =>
      markPublished(
        collection,
        of.map(({ document: { _id: id, seq } }) => ({ id, seq })),
      ),
    ),
  );
  if (failure !== undefined) throw failure;
}

/**
 * A document saved several times has, as it was saved last, all that is unpublished; its own ticket
 * is the last one.
 */
function newestOfEach(batch: readonly Handed[]): readonly Handed[] {
  const newest = new Map<string, Handed>();
  for (const handed of batch) {
    const { collection, document, tickets } = handed;
    const key = `${collection.collectionName} ${String(document._id)}`;
    const known = newest.get(key);
    if (!known) newest.set(key, handed);
    else if (known.document.seq < document.seq)
      newest.set(key, { ...handed, tickets: [...known.tickets, ...tickets] });
    else newest.set(key, { ...known, tickets: [...tickets, ...known.tickets] });
  }
  return [...newest.values()];
}

/** Events that the stream has: a document may have been read before that was marked in it. */
interface Acknowledged {
  has(id: string): boolean;
  note(id: string): void;
}

/** At least the newest so many: taking them out one by one would cost more than all the rest. */
function rememberAcknowledged(): Acknowledged {
  let ids = new Set<string>();
  let older: ReadonlySet<string> = new Set();
  return {
    has: (id) => ids.has(id) || older.has(id),
    note: (id) => {
      ids.add(id);
      if (ids.size < rememberedMax) return;
      older = ids;
      ids = new Set();
    },
  };
}

interface EventOnItsWay extends Outgoing {
  readonly event: StoredEvent;
  readonly span: Span | undefined;
}

function outgoingOf(
  { namespace, tracer }: RelayOptions,
  document: EventfulDocument,
  event: StoredEvent,
  again = false,
): EventOnItsWay {
  const { id, traceparent } = event;
  const subject = eventSubject(namespace, event.type);
  const span = publishSpan(tracer, { subject, id, traceparent, again });
  const envelope = envelopeOf(document, event);
  const text = JSON.stringify(span ? { ...envelope, traceparent: span.traceparent } : envelope);
  return { event, text, span };
}

/** What a stream answers when it has stored a message, or why it has not. */
interface Acknowledgement {
  readonly stream?: string;
  readonly error?: { readonly description?: string };
}

async function publish(
  { ask, namespace, metrics }: RelayOptions,
  together: Bundle<EventOnItsWay>,
): Promise<void> {
  const { type, events } = together;
  const [first, another] = events;
  try {
    const written = first?.span && !another ? traceHeaders(first.span) : headers();
    written.set("Nats-Msg-Id", messageIdOf(together));
    const reply = await ask({
      subject: eventSubject(namespace, type),
      body: Buffer.from(bodyOf(together)),
      headers: () => written,
      timeoutMs: publishTimeoutMs,
    });
    const { stream, error } = reply.json<Acknowledgement>();
    if (!stream) throw new Error(error?.description ?? "no stream");
    for (const { span } of events) span?.end();
    metrics.eventsPublished.inc({ messaging_destination_name: `event.${type}` }, events.length);
  } catch (error) {
    for (const { span } of events) span?.end({ problem: "not acknowledged" });
    metrics.eventPublishFailures.inc({}, events.length);
    throw new NotOnStream(describeError(error).message, { cause: error });
  }
}

/** The driver repeats no write of many documents; this one may be repeated. */
async function markPublished(collection: EventfulCollection, marks: readonly Mark[]) {
  try {
    await mark(collection, marks);
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    await mark(collection, marks);
  }
}

/** One statement for all that have come equally far: most have their first event only. */
async function mark(collection: EventfulCollection, marks: readonly Mark[]) {
  const equallyFar = [...Map.groupBy(marks, ({ seq }) => seq)].map(([seq, of]) => ({
    seq,
    _id: { $in: of.map(({ id }) => id) },
  }));
  const complete = await collection.bulkWrite(
    equallyFar.map((filter) => ({
      updateMany: {
        filter,
        update: { $set: { published: filter.seq }, $unset: { ticket: "" } },
      },
    })),
    { ordered: false },
  );
  if (complete.matchedCount === marks.length) return;
  // Some documents have newer events by now: those are in other hands, the mark still moves up.
  await collection.bulkWrite(
    equallyFar.map(({ _id, seq }) => ({
      updateMany: { filter: { _id }, update: { $max: { published: seq } } },
    })),
    { ordered: false },
  );
}
