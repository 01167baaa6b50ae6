import { randomUUID } from "node:crypto";
import { addMs, dayMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service, type Starting } from "@malipo/platform";
import { type Collection, type Db, ObjectId } from "mongodb";

/** As long as events and their deliveries are kept. */
export const keptMs = 30 * dayMs;

const prunedAtOnceMax = 1_000;
/** An answer has to fit a message. */
const pageBytesMax = 500_000;

/** One public event, as it leaves the system. */
export interface LoggedEvent {
  readonly id: string;
  readonly businessid: string;
  readonly type: string;
  readonly resourceid: string;
  readonly sequence: number;
  readonly at: Date;
  readonly body: string;
}

interface EntryDocument extends Omit<LoggedEvent, "id" | "businessid"> {
  /** The position: one more than that of the entry before, with no gap ever. */
  readonly _id: number;
  readonly eventid: string;
  readonly businessid: ObjectId;
  readonly loggedat: Date;
}

interface PageRequest {
  /** The last position that was read. */
  readonly after: number;
  readonly limit: number;
}

interface FeedPage {
  readonly events: readonly LoggedEvent[];
  readonly position: number;
  readonly more: boolean;
}

/**
 * Every public event in the stream's order, at positions without gaps. An entry is only ever
 * written right behind the newest, under its position as the unique key: two processes that both
 * believe it is their turn cannot both have a position, and what is read up to a position stays
 * as it was read.
 */
export interface EventLog {
  readonly epoch: string;
  /** Which of these events are in the log. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** False when somebody else wrote meanwhile: look again what is known. */
  append(events: readonly LoggedEvent[], now: Date): Promise<boolean>;
  newest(): Promise<number>;
  /** One past the newest if there is nothing. */
  oldest(): Promise<number>;
  page(businessid: string, request: PageRequest): Promise<FeedPage>;
  /** Removes what is older than it is kept, but never the newest: its position counts on. */
  prune(now: Date): Promise<number>;
}

export async function openEventLog(service: Pick<Service, "store"> & Starting): Promise<EventLog> {
  const entries = service.store.db.collection<EntryDocument>("eventlog");
  await ensureIndexes(service, entries, [
    { key: { eventid: 1 }, unique: true },
    { key: { businessid: 1, _id: 1 } },
  ]);

  async function newest(): Promise<number> {
    const [last] = await entries.find().sort({ _id: -1 }).limit(1).project({ _id: 1 }).toArray();
    return last?.["_id"] ?? 0;
  }

  /** The newest as this process wrote it itself; whoever is wrong about it cannot write. */
  let written: number | undefined;

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
      const before = written ?? (await newest());
      const documents = events.map((event, index) => entryOf(event, before + index + 1, now));
      written = undefined;
      try {
        // In order: the first that fails is the last that is tried.
        await entries.insertMany(documents, { ordered: true });
        written = before + documents.length;
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
        .limit(prunedAtOnceMax)
        .project<Pick<EntryDocument, "_id" | "loggedat">>({ loggedat: 1 })
        .toArray();
      const cutoff = addMs(now, -keptMs);
      const firstToKeep = old.findIndex(({ loggedat }) => loggedat >= cutoff);
      const last = (firstToKeep === -1 ? old : old.slice(0, firstToKeep)).at(-1);
      if (!last) return 0;
      return (await entries.deleteMany({ _id: { $lte: last._id } })).deletedCount;
    },
  };
}

/** The newest position is read first: all up to it is there, and of what comes later nothing counts yet. */
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
  // Beyond the last of its own events there is nothing for this business up to here.
  const position = more ? (page.at(-1)?._id ?? after) : Math.max(upTo, after);
  return { events: page.map(eventOf), position, more };
}

function entryOf({ id, businessid, ...event }: LoggedEvent, _id: number, now: Date): EntryDocument {
  return { _id, eventid: id, businessid: new ObjectId(businessid), ...event, loggedat: now };
}

function eventOf(entry: EntryDocument): LoggedEvent {
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
      // Two processes began the same log.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
