import { randomUUID } from "node:crypto";
import { addMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service, type StartContext } from "@malipo/platform";
import { type Collection, type Db, ObjectId } from "mongodb";
import { type PublicEvent, retentionMs } from "../domain/public-event.ts";

const pruneBatchMax = 1_000;
/** A page must fit into a NATS message. */
const pageBytesMax = 500_000;

interface EntryDocument extends Omit<PublicEvent, "id" | "businessid"> {
  /** The position: one more than that of the entry before. There are no gaps. */
  readonly _id: number;
  readonly eventid: string;
  readonly businessid: ObjectId;
  readonly loggedat: Date;
}

interface PageRequest {
  /** The last position that the reader has. */
  readonly after: number;
  readonly limit: number;
}

interface FeedPage {
  readonly events: readonly PublicEvent[];
  readonly position: number;
  readonly more: boolean;
}

/**
 * All public events in the order of the stream, at positions without gaps. An entry is written only
 * right after the newest one, with its position as the unique key. So two processes that both believe
 * they are the reader cannot both write a position, and the log up to a position never changes.
 */
export interface EventLog {
  /** The identity of this log. A log that was lost and started again has another. */
  readonly epoch: string;
  /** The ids among these that are in the log. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** False when another process wrote in between: then check again which events are known. */
  append(events: readonly PublicEvent[], now: Date): Promise<boolean>;
  newest(): Promise<number>;
  /** 1 if the log is empty. */
  oldest(): Promise<number>;
  page(businessid: string, request: PageRequest): Promise<FeedPage>;
  /** Deletes a batch of entries older than the retention, but never the newest: its position is needed. */
  prune(now: Date): Promise<number>;
}

export async function openEventLog(
  service: Pick<Service, "store"> & StartContext,
): Promise<EventLog> {
  const entries = service.store.db.collection<EntryDocument>("eventlog");
  await ensureIndexes(service, entries, [
    { key: { eventid: 1 }, unique: true },
    { key: { businessid: 1, _id: 1 } },
  ]);

  async function newest(): Promise<number> {
    const [last] = await entries.find().sort({ _id: -1 }).limit(1).project({ _id: 1 }).toArray();
    return last?.["_id"] ?? 0;
  }

  /** The newest position, if this process wrote it. A wrong value only makes the next append fail. */
  let newestWritten: number | undefined;

  return {
    epoch: await epochOf(service.store.db),
    newest,
    known: async (ids) => {
      const found = await entries
        .find({ eventid: { $in: [...ids] } }, { projection: { _id: 0, eventid: 1 } })
        .toArray();
      return new Set(found.map(({ eventid }) => eventid));
    },
    append: async (events, now) => {
      const before = newestWritten ?? (await newest());
      const documents = events.map((event, index) => entryOf(event, before + index + 1, now));
      newestWritten = undefined;
      try {
        // In order: the first failure ends the insert, so there is no gap.
        await entries.insertMany(documents, { ordered: true });
        newestWritten = before + documents.length;
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    oldest: async () => {
      const [first] = await entries.find().sort({ _id: 1 }).limit(1).project({ _id: 1 }).toArray();
      return first?.["_id"] ?? 1;
    },
    page: (businessid, request) => readFeed(entries, newest, businessid, request),
    prune: async (now) => {
      const old = await entries
        .find({ _id: { $lt: await newest() } })
        .sort({ _id: 1 })
        .limit(pruneBatchMax)
        .project<Pick<EntryDocument, "_id" | "loggedat">>({ loggedat: 1 })
        .toArray();
      const cutoff = addMs(now, -retentionMs);
      const firstToKeep = old.findIndex(({ loggedat }) => loggedat >= cutoff);
      const last = (firstToKeep === -1 ? old : old.slice(0, firstToKeep)).at(-1);
      if (!last) return 0;
      return (await entries.deleteMany({ _id: { $lte: last._id } })).deletedCount;
    },
  };
}

/** Reads the newest position first. All entries up to it are stored; later ones are left for the next page. */
async function readFeed(
  entries: Collection<EntryDocument>,
  newest: () => Promise<number>,
  businessid: string,
  { after, limit }: PageRequest,
): Promise<FeedPage> {
  const upTo = await newest();
  const found = await entries
    .find({ businessid: new ObjectId(businessid), _id: { $gt: after, $lte: upTo } })
    .sort({ _id: 1 })
    .limit(limit + 1)
    .toArray();
  let bytes = 0;
  const page = found.slice(0, limit).filter(({ body }, index) => {
    bytes += Buffer.byteLength(body);
    return index === 0 || bytes <= pageBytesMax;
  });
  const more = page.length < found.length;
  // After its last event there is nothing for this business up to the newest position.
  const position = more ? (page.at(-1)?._id ?? after) : Math.max(upTo, after);
  return { events: page.map(eventOf), position, more };
}

function entryOf({ id, businessid, ...event }: PublicEvent, _id: number, now: Date): EntryDocument {
  return { _id, eventid: id, businessid: new ObjectId(businessid), ...event, loggedat: now };
}

function eventOf(entry: EntryDocument): PublicEvent {
  const { eventid: id, businessid, type, resourceid, sequence, at, body } = entry;
  return { id, businessid: String(businessid), type, resourceid, sequence, at, body };
}

async function epochOf(db: Db): Promise<string> {
  const logs = db.collection<{ _id: string; epoch: string }>("logs");
  const filter = { _id: "events" };
  for (;;) {
    try {
      const document = await logs.findOneAndUpdate(
        filter,
        { $setOnInsert: { epoch: randomUUID() } },
        { upsert: true, returnDocument: "after" },
      );
      if (document) return document.epoch;
    } catch (error) {
      // Two processes started the same log.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
