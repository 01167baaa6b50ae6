import { type Collection, type Db, ObjectId } from "mongodb";
import { type OutboxPosition, sequenceMax } from "./outbox-position.ts";

/*
 * The only file that knows the stored names of the outbox.
 *
 * | In the code                       | Stored as                                                   |
 * | --------------------------------- | ----------------------------------------------------------- |
 * | publisher                         | a document of `ticketbooks`; its `_id` is the publisher id   |
 * | watermark of a publisher          | `upto`                                                      |
 * | last sign of life of a publisher  | `at`                                                        |
 * | outbox position of a record       | `ticket`, an ObjectId: 8 bytes publisher id, 4 bytes sequence |
 *
 * The stored names stay, because the previous release runs beside this one during a deployment. It
 * takes a missing document of `ticketbooks` for a publisher that has nothing left to publish. Under a
 * new name it would therefore never publish what this release leaves behind in a crash.
 */

const publisherIdDigits = 16;

/** The part of a record that says where its newest events are in the outbox. */
export interface StoredPosition {
  readonly ticket?: ObjectId;
}

export function storedPosition(position: OutboxPosition): StoredPosition {
  return { ticket: idOf(position) };
}

/** Undefined when the record has no event that may wait for publication. */
export function positionOf({ ticket }: StoredPosition): OutboxPosition | undefined {
  if (!ticket) return undefined;
  const hex = ticket.toHexString();
  return {
    publisherId: hex.slice(0, publisherIdDigits),
    sequence: Number.parseInt(hex.slice(publisherIdDigits), 16),
  };
}

/** Positions of one publisher are neighbours in an index, in the order of their sequence. */
function idOf({ publisherId, sequence }: OutboxPosition): ObjectId {
  return new ObjectId(publisherId + sequence.toString(16).padStart(8, "0"));
}

/** Through this index the sweep finds the events that a crash left unpublished. */
export const positionIndex = {
  key: { ticket: 1 },
  name: "ticket",
  partialFilterExpression: { ticket: { $exists: true } },
} as const;

export const inPositionOrder = { ticket: 1 } as const;
export const positionOnly = { projection: { ticket: 1 } } as const;
/** For `$unset`. */
export const withoutPosition = { ticket: "" } as const;

export function atPositions(positions: readonly OutboxPosition[]) {
  return { ticket: { $in: positions.map((position) => idOf(position)) } };
}

/** The records of a publisher that may not be published yet. */
export function beyondWatermark({ id, watermark }: Pick<StoredPublisher, "id" | "watermark">) {
  const after = idOf({ publisherId: id, sequence: watermark });
  const last = idOf({ publisherId: id, sequence: sequenceMax });
  return { ticket: { $gt: after, $lte: last } };
}

/** A publisher as all processes see it. */
export interface StoredPublisher {
  readonly id: string;
  /** All events at positions up to this sequence are published. */
  readonly watermark: number;
  /** By the clock of its process. */
  readonly lastSignOfLife: Date;
}

interface PublisherDocument {
  readonly _id: string;
  readonly upto: number;
  readonly at: Date;
}

export interface PublisherStore {
  find(id: string): Promise<StoredPublisher | null>;
  /** All publishers but one. */
  findOthers(ownId: string | undefined): Promise<StoredPublisher[]>;
  insert(publisher: StoredPublisher): Promise<void>;
  /** The watermark never moves back. False when the publisher does not exist and was not created. */
  raise(publisher: StoredPublisher, options?: { readonly upsert: boolean }): Promise<boolean>;
  delete(id: string): Promise<void>;
  /** Leaves it alone if it has shown a sign of life since it was read. */
  deleteUnchanged(publisher: StoredPublisher): Promise<void>;
}

export function openPublisherStore(db: Db): PublisherStore {
  // A watermark stays true whether or not a majority has it. A publisher that is not found counts as
  // finished, so a node that has it must not hide it.
  const collection: Collection<PublisherDocument> = db.collection("ticketbooks", {
    readConcern: { level: "local" },
  });
  return {
    find: async (id) => {
      const found = await collection.findOne({ _id: id });
      return found && publisherFrom(found);
    },
    findOthers: async (ownId) => {
      const others = ownId === undefined ? {} : { _id: { $ne: ownId } };
      return (await collection.find(others).toArray()).map(publisherFrom);
    },
    insert: async ({ id, watermark, lastSignOfLife }) => {
      await collection.insertOne({ _id: id, upto: watermark, at: lastSignOfLife });
    },
    raise: async ({ id, watermark, lastSignOfLife }, options = { upsert: false }) => {
      // A write that was given up may arrive after the next one.
      const update = { $max: { upto: watermark }, $set: { at: lastSignOfLife } };
      const { matchedCount } = await collection.updateOne({ _id: id }, update, options);
      return matchedCount === 1;
    },
    delete: async (id) => {
      await collection.deleteOne({ _id: id });
    },
    deleteUnchanged: async ({ id, lastSignOfLife }) => {
      await collection.deleteOne({ _id: id, at: lastSignOfLife });
    },
  };
}

function publisherFrom({ _id, upto, at }: PublisherDocument): StoredPublisher {
  return { id: _id, watermark: upto, lastSignOfLife: at };
}

/** The records of a collection whose events lie beyond the watermark of their publisher. */
export async function countUnpublishedRecords(db: Db, collection: string): Promise<number> {
  const publishers = await openPublisherStore(db).findOthers(undefined);
  if (publishers.length === 0) return 0;
  const $or = publishers.map((publisher) => beyondWatermark(publisher));
  return db.collection(collection).countDocuments({ $or });
}
