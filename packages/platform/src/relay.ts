import { setTimeout as sleep } from "node:timers/promises";
import { eventSubject } from "@malipo/contracts";
import { addMs, type Clock, secondMs } from "@malipo/core";
import { headers } from "@nats-io/nats-core";
import { openBatchQueue } from "./batch-queue.ts";
import { bodyOf, type Bundle, bundle, messageIdOf, type Outgoing } from "./bundle.ts";
import {
  envelopeOf,
  type EventfulCollection,
  type EventfulDocument,
  type StoredEvent,
  unpublishedOf,
} from "./events.ts";
import type { Ask } from "./inbox.ts";
import type { Log } from "./log.ts";
import { publishSpan, traceHeaders } from "./message-spans.ts";
import type { Metrics } from "./metrics.ts";
import { isStoreAway } from "./mongo.ts";
import type { Span, Tracer } from "./tracer.ts";

const sweptBatch = 200;
const sweptMax = 10_000;
const sweepEveryMs = 2 * secondMs;
/** Younger ones are still in the hands of the process that wrote them. */
const sweepAgeMs = 5 * secondMs;
const publishTimeoutMs = 5 * secondMs;
const rememberedMax = 10_000;

interface Handed {
  readonly collection: EventfulCollection;
  readonly document: EventfulDocument;
}

interface Mark {
  readonly id: EventfulDocument["_id"];
  readonly seq: number;
}

export interface Relay {
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
}

export function createRelay(options: RelayOptions): Relay {
  const acknowledged = rememberAcknowledged();
  const queue = openBatchQueue<Handed>(async (batch) => {
    await publishBatch(batch, acknowledged, options).catch((error: unknown) => {
      options.log.warn({ err: error }, "events stay unpublished until the sweep");
    });
  });

  const relay: Relay = {
    hand(collection, document) {
      if (unpublishedOf(document).length > 0) queue.put({ collection, document });
    },
    room: queue.room,
    flush: queue.flush,
    publishAgain: async (document, events) => {
      const again = events.map((event) => outgoingOf(options, document, event, true));
      await Promise.all(bundle([again]).map((alone) => publish(options, alone)));
    },
    sweep: async (collections, signal) => {
      while (!signal.aborted) {
        await sweepOnce(collections, relay, options).catch((error: unknown) => {
          options.log.warn({ err: error }, "sweep failed");
        });
        await sleep(sweepEveryMs, undefined, { signal }).catch(() => {});
      }
    },
  };
  return relay;
}

/** Publications leave in order and together; a document is marked up to its first unacknowledged one. */
async function publishBatch(
  batch: readonly Handed[],
  acknowledged: Acknowledged,
  options: RelayOptions,
) {
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
  const marks = new Map<EventfulCollection, Mark[]>();
  for (const { handed, events } of records) {
    const { collection, document } = handed;
    const firstLost = events.findIndex((event) => lost.has(event));
    const last = events[(firstLost === -1 ? events.length : firstLost) - 1];
    if (!last) continue;
    const of = marks.get(collection) ?? [];
    of.push({ id: document._id, seq: last.seq });
    marks.set(collection, of);
  }
  await Promise.all([...marks].map(([collection, of]) => markPublished(collection, of)));
  if (failure !== undefined) throw failure;
}

/** A document saved several times has, as it was saved last, all that is unpublished. */
function newestOfEach(batch: readonly Handed[]): readonly Handed[] {
  const newest = new Map<string, Handed>();
  for (const handed of batch) {
    const { collection, document } = handed;
    const key = `${collection.collectionName} ${String(document._id)}`;
    const known = newest.get(key);
    if (!known || known.document.seq < document.seq) newest.set(key, handed);
  }
  return [...newest.values()];
}

/** Events that the stream has: a document may have been read before that was marked in it. */
interface Acknowledged {
  has(id: string): boolean;
  note(id: string): void;
}

function rememberAcknowledged(): Acknowledged {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    note: (id) => {
      ids.add(id);
      if (ids.size <= rememberedMax) return;
      const [oldest = id] = ids;
      ids.delete(oldest);
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
      patienceMs: publishTimeoutMs,
    });
    const { stream, error } = reply.json<Acknowledgement>();
    if (!stream) throw new Error(`not stored: ${error?.description ?? "no stream"}`);
    for (const { span } of events) span?.end();
    metrics.eventsPublished.inc({ messaging_destination_name: `event.${type}` }, events.length);
  } catch (error) {
    for (const { span } of events) span?.end({ problem: "not acknowledged" });
    metrics.eventPublishFailures.inc({}, events.length);
    throw error;
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
        update: { $set: { published: filter.seq }, $unset: { unpublished: "" } },
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

/** Goes through all that is old enough, so that what cannot be published stands in nobody's way. */
async function sweepOnce(
  collections: readonly EventfulCollection[],
  relay: Relay,
  { metrics, clock }: RelayOptions,
) {
  const now = clock();
  let oldest = now;
  for (const collection of collections) {
    const left = collection
      .find({ unpublished: { $lt: addMs(now, -sweepAgeMs) } })
      .sort({ unpublished: 1 })
      .limit(sweptMax)
      .batchSize(sweptBatch);
    let handed = 0;
    for await (const document of left) {
      relay.hand(collection, document);
      if (document.unpublished && document.unpublished < oldest) oldest = document.unpublished;
      handed += 1;
      if (handed % sweptBatch === 0) await relay.flush();
    }
    await relay.flush();
  }
  metrics.unpublishedOldestSeconds.value = (now.getTime() - oldest.getTime()) / secondMs;
}
