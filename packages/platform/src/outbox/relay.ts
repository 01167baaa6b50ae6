import { openBatchQueue } from "../batching/index.ts";
import type { Log } from "../logging/index.ts";
import {
  type EventfulCollection,
  type EventfulDocument,
  historyMax,
  type StoredEvent,
  unpublishedOf,
} from "./event-document.ts";
import {
  type PublishOptions,
  messagesFor,
  outgoingEvent,
  publishMessage,
} from "./publish-events.ts";
import { markPublished } from "./mark-published.ts";
import type { OutboxPosition } from "./outbox-position.ts";
import type { Publishers } from "./publishers.ts";
import { positionOf } from "./stored-outbox.ts";

const rememberedMax = 10_000;

/** A record with events to publish. */
interface QueuedRecord {
  readonly collection: EventfulCollection;
  readonly document: EventfulDocument;
  /** The position of this state of the record, and those of its earlier states in the batch. */
  readonly positions: readonly OutboxPosition[];
}

export interface Relay {
  /** Publishes the unpublished events of a record as it was just saved. Never throws. */
  enqueue(collection: EventfulCollection, document: EventfulDocument): void;
  /** Publishes events again that may have been published. */
  republish(document: EventfulDocument, events: readonly StoredEvent[]): Promise<void>;
  /** Resolves when few records wait. */
  waitForRoom(): Promise<void>;
  /** Resolves when publication of all records enqueued before has been tried. */
  flush(): Promise<void>;
}

export interface RelayOptions extends PublishOptions {
  readonly publishers: Publishers;
  readonly log: Log;
}

export function createRelay(options: RelayOptions): Relay {
  const { publishers, log } = options;
  const acknowledged = rememberAcknowledged();
  const queue = openBatchQueue<QueuedRecord>(async (batch) => {
    await publishBatch(batch, acknowledged, options).catch((error: unknown) => {
      log.warn({ err: error }, "events not published; left to the sweep");
      for (const position of batch.flatMap(({ positions }) => positions)) {
        publishers.deferToSweep(position);
      }
    });
  });

  return {
    enqueue(collection, document) {
      const position = positionOf(document);
      if (!position) return;
      const isQueued = queue.put({ collection, document, positions: [position] });
      if (!isQueued) publishers.deferToSweep(position);
    },
    republish: async (document, events) => {
      const outgoing = events.map((event) =>
        outgoingEvent(options, document, event, { isRepeated: true }),
      );
      const messages = messagesFor([outgoing]);
      await Promise.all(messages.map((message) => publishMessage(options, message)));
    },
    waitForRoom: queue.waitForRoom,
    flush: queue.flush,
  };
}

/** A position is complete when the stream has acknowledged all events of its record. */
async function publishBatch(
  batch: readonly QueuedRecord[],
  acknowledged: AcknowledgedEvents,
  options: RelayOptions,
) {
  const { publishers } = options;
  const records = newestStates(batch).map((record) => {
    const events = unpublishedOf(record.document);
    const outgoing = events
      .filter(({ id }) => !acknowledged.has(id))
      .map((event) => outgoingEvent(options, record.document, event));
    return { record, events, outgoing };
  });
  const failed = new Set<StoredEvent>();
  let failure: unknown;
  await Promise.all(
    messagesFor(records.map(({ outgoing }) => outgoing)).map(async (message) => {
      try {
        await publishMessage(options, message);
        for (const { event } of message.events) acknowledged.add(event.id);
      } catch (error) {
        failure = error;
        for (const { event } of message.events) failed.add(event);
      }
    }),
  );
  const toMark: QueuedRecord[] = [];
  for (const { record, events } of records) {
    if (events.some((event) => failed.has(event))) continue;
    const isOwn = record.positions.map((position) => publishers.complete(position)).at(-1);
    // A save that runs before the watermark is stored keeps all events of the record. Several
    // processes that save it in turn would let it grow without end, so a long list is marked.
    if (!isOwn || events.length > historyMax) toMark.push(record);
  }
  const byCollection = Map.groupBy(toMark, ({ collection }) => collection);
  await Promise.all(
    [...byCollection].map(([collection, ofCollection]) =>
      markPublished(
        collection,
        ofCollection.map(({ document }) => document),
      ),
    ),
  );
  if (failure !== undefined) throw failure;
}

/**
 * The newest state of each record: it holds all events of the older states in the batch that are
 * unpublished. Its own position is the last one.
 */
function newestStates(batch: readonly QueuedRecord[]): readonly QueuedRecord[] {
  const newest = new Map<string, QueuedRecord>();
  for (const queued of batch) {
    const { collection, document, positions } = queued;
    const key = `${collection.collectionName} ${String(document._id)}`;
    const known = newest.get(key);
    if (!known) newest.set(key, queued);
    else if (known.document.seq < document.seq)
      newest.set(key, { ...queued, positions: [...known.positions, ...positions] });
    else newest.set(key, { ...known, positions: [...positions, ...known.positions] });
  }
  return [...newest.values()];
}

/** Events that the stream has acknowledged, though the record that was read does not say so yet. */
interface AcknowledgedEvents {
  has(id: string): boolean;
  add(id: string): void;
}

/** Keeps between one and two times `rememberedMax` ids: removing single ids would cost more. */
function rememberAcknowledged(): AcknowledgedEvents {
  let ids = new Set<string>();
  let olderIds: ReadonlySet<string> = new Set();
  return {
    has: (id) => ids.has(id) || olderIds.has(id),
    add: (id) => {
      ids.add(id);
      if (ids.size < rememberedMax) return;
      olderIds = ids;
      ids = new Set();
    },
  };
}
