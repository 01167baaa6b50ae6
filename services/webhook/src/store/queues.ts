import { randomUUID } from "node:crypto";
import { addMs, secondMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service, type Starting } from "@malipo/platform";
import { type AnyBulkWriteOperation, type Collection, type Document, ObjectId } from "mongodb";
import { type Health, healthy } from "../domain/health.ts";

/** Whoever is silent for so long has lost its endpoints to others. */
export const leaseMs = 10 * secondMs;

/** An endpoint's work as a whole: one worker at a time has it. */
export interface Queue {
  readonly endpointid: string;
  readonly owner: string;
  /** Changes whenever there may be something new. */
  readonly mark: string;
  readonly health: Health;
  /** Somebody wants a fresh start for the receiver; the moment tells one wish from another. */
  readonly restartedat: Date | null;
  /** What waits since before this moment is not wanted any more. */
  readonly dropuntil: Date | null;
}

interface QueueDocument extends Document {
  readonly _id: ObjectId;
  readonly owner: string;
  readonly until: Date;
  readonly mark: string;
}

export interface Queues {
  /**
   * Something is due for these endpoints. One that is enabled is not parked any more, whatever became
   * of the process that enabled it before it could say so.
   */
  mark(
    endpoints: readonly { readonly endpointid: string; readonly enabled: boolean }[],
    now: Date,
  ): Promise<void>;
  /** A person wants it tried now, whatever the receiver's health; what waited may be dropped. */
  restart(endpointid: string, now: Date, dropUntil?: Date): Promise<void>;
  /** Endpoints with something due that nobody has. */
  claim(now: Date, limit: number): Promise<readonly Queue[]>;
  /** Keeps what is held; says how it stands with it. */
  keep(held: readonly Held[], now: Date): Promise<Kept>;
  /** Since when the oldest work waits that nobody has and that could be done. */
  waitingSince(now: Date): Promise<Date | null>;
  read(endpointid: string): Promise<Queue | null>;
  /** False when there may be something new: look again. */
  release(held: Held & Pick<Queue, "mark">, next: Next): Promise<boolean>;
  dropped(endpointid: string, until: Date): Promise<void>;
  failingSince(endpointids: readonly string[]): Promise<ReadonlyMap<string, Date>>;
}

interface Kept {
  /** In other hands. */
  readonly lost: ReadonlySet<string>;
  /** The marks of all others. */
  readonly marks: ReadonlyMap<string, string>;
}

type Held = Pick<Queue, "endpointid" | "owner" | "health">;

interface Next {
  /** When there is something to do again; null when nothing waits. */
  readonly dueAt: Date | null;
  /** Nothing may be sent, whatever is due, until somebody restarts it. */
  readonly isParked: boolean;
}

const never = new Date(0);

export async function openQueues(service: Pick<Service, "store"> & Starting): Promise<Queues> {
  const collection = service.store.db.collection<QueueDocument>("queues");
  await ensureIndexes(service, collection, [
    { key: { dueat: 1 }, partialFilterExpression: { dueat: { $exists: true } } },
  ]);
  return { ...marksOf(collection), ...leasesOf(collection), ...readsOf(collection) };
}

function marksOf(collection: Collection<QueueDocument>) {
  /** Two processes may both make an endpoint's first mark: then the second finds it there. */
  async function upsert(operations: AnyBulkWriteOperation<QueueDocument>[]) {
    try {
      await collection.bulkWrite(operations, { ordered: false });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await collection.bulkWrite(operations, { ordered: false });
    }
  }
  const first = { owner: "", until: never, ...healthy };
  const marks: Pick<Queues, "mark" | "restart"> = {
    mark: async (endpoints, now) => {
      if (endpoints.length === 0) return;
      const mark = randomUUID();
      await upsert(
        endpoints.map(({ endpointid, enabled }) => ({
          updateOne: {
            filter: { _id: new ObjectId(endpointid) },
            update: {
              $min: { dueat: now },
              $set: { mark, ...(enabled && { parked: false }) },
              $setOnInsert: { ...first, ...(!enabled && { parked: true }) },
            },
            upsert: true,
          },
        })),
      );
    },
    restart: async (endpointid, now, dropUntil) => {
      const fresh = {
        mark: randomUUID(),
        restartedat: now,
        parked: false,
        ...healthy,
        ...(dropUntil && { dropuntil: dropUntil }),
      };
      await upsert([
        {
          updateOne: {
            filter: { _id: new ObjectId(endpointid) },
            update: {
              $min: { dueat: now },
              $set: fresh,
              $setOnInsert: { owner: "", until: never },
            },
            upsert: true,
          },
        },
      ]);
    },
  };
  return marks;
}

/** In nobody's hands, and neither parked nor at rest. */
function free(now: Date) {
  return { until: { $lt: now }, parked: false, restuntil: { $not: { $gt: now } } };
}

function leasesOf(collection: Collection<QueueDocument>) {
  const leases: Pick<Queues, "claim" | "keep" | "release" | "dropped"> = {
    claim: async (now, limit) => {
      const found = await collection
        .find({ dueat: { $lte: now }, ...free(now) }, { projection: { _id: 1 } })
        .sort({ dueat: 1 })
        .limit(limit)
        .toArray();
      if (found.length === 0) return [];
      const owner = randomUUID();
      const until = addMs(now, leaseMs);
      await collection.bulkWrite(
        found.map(({ _id }) => ({
          updateOne: { filter: { _id, ...free(now) }, update: { $set: { owner, until } } },
        })),
        { ordered: false },
      );
      const mine = { _id: { $in: found.map(({ _id }) => _id) }, owner };
      return (await collection.find(mine).toArray()).map(queueFrom);
    },
    keep: async (held, now) => {
      if (held.length === 0) return { lost: new Set(), marks: new Map() };
      const until = addMs(now, leaseMs);
      await collection.bulkWrite(
        held.map(({ endpointid, owner, health }) => ({
          updateOne: {
            filter: { _id: new ObjectId(endpointid), owner },
            update: { $set: { until, ...health } },
          },
        })),
        { ordered: false },
      );
      const ids = held.map(({ endpointid }) => new ObjectId(endpointid));
      const present = await collection
        .find({ _id: { $in: ids } }, { projection: { owner: 1, mark: 1 } })
        .toArray();
      const owners = new Map(held.map(({ endpointid, owner }) => [endpointid, owner]));
      const marks = present
        .filter(({ _id, owner }) => owners.get(String(_id)) === owner)
        .map(({ _id, mark }) => [String(_id), mark] as const);
      const mine = new Map(marks);
      const lost = [...owners.keys()].filter((endpointid) => !mine.has(endpointid));
      return { lost: new Set(lost), marks: mine };
    },
    release: async ({ endpointid, owner, mark, health }, { dueAt, isParked }) => {
      const { matchedCount } = await collection.updateOne(
        { _id: new ObjectId(endpointid), owner, mark },
        {
          $set: {
            owner: "",
            until: never,
            parked: isParked,
            ...health,
            ...(dueAt && { dueat: dueAt }),
          },
          ...(dueAt === null && { $unset: { dueat: "" } }),
        },
      );
      return matchedCount === 1;
    },
    dropped: async (endpointid, until) => {
      await collection.updateOne(
        { _id: new ObjectId(endpointid), dropuntil: until },
        { $unset: { dropuntil: "" } },
      );
    },
  };
  return leases;
}

function readsOf(collection: Collection<QueueDocument>) {
  const reads: Pick<Queues, "read" | "failingSince" | "waitingSince"> = {
    waitingSince: async (now) => {
      const [oldest] = await collection
        .find({ dueat: { $lte: now }, ...free(now) }, { projection: { dueat: 1 } })
        .sort({ dueat: 1 })
        .limit(1)
        .toArray();
      return oldest?.["dueat"] ?? null;
    },
    read: async (endpointid) => {
      const found = await collection.findOne({ _id: new ObjectId(endpointid) });
      return found && queueFrom(found);
    },
    failingSince: async (endpointids) => {
      const ids = endpointids.map((id) => new ObjectId(id));
      const failing = await collection
        .find(
          { _id: { $in: ids }, failingsince: { $ne: null } },
          { projection: { failingsince: 1 } },
        )
        .toArray();
      return new Map(
        failing
          .filter((document) => document["failingsince"] instanceof Date)
          .map((document) => [String(document._id), document["failingsince"]]),
      );
    },
  };
  return reads;
}

function queueFrom(document: QueueDocument): Queue {
  return {
    endpointid: String(document._id),
    owner: document.owner,
    mark: document.mark,
    health: {
      failures: document["failures"],
      rests: document["rests"],
      restuntil: document["restuntil"],
      failingsince: document["failingsince"],
      lastfailureat: document["lastfailureat"],
    },
    restartedat: document["restartedat"] ?? null,
    dropuntil: document["dropuntil"] ?? null,
  };
}
