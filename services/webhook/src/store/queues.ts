import { randomUUID } from "node:crypto";
import { addMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service, type StartContext } from "@malipo/platform";
import { type AnyBulkWriteOperation, type Collection, type Document, ObjectId } from "mongodb";
import { healthy } from "../domain/health.ts";
import { leaseMs, type Queue } from "../domain/queue.ts";

interface QueueDocument extends Document {
  readonly _id: ObjectId;
  readonly owner: string;
  readonly until: Date;
  readonly mark: string;
}

/** Leases on endpoints, and the times at which endpoints have something due. */
export interface Queues {
  /**
   * Says that these endpoints have something due. An enabled endpoint is not parked any more, even if
   * the process that enabled it ended before it could say so.
   */
  mark(
    endpoints: readonly { readonly endpointid: string; readonly enabled: boolean }[],
    now: Date,
  ): Promise<void>;
  /** A person wants an attempt now, so the health starts again. `dropUntil`: drop deliveries up to then. */
  restart(endpointid: string, now: Date, dropUntil?: Date): Promise<void>;
  /** Leases endpoints that have something due and are free. */
  claim(now: Date, limit: number): Promise<readonly Queue[]>;
  /** Renews leases and stores the health. */
  renew(leases: readonly HeldLease[], now: Date): Promise<Renewal>;
  /** Due time of the oldest work that is free; null if there is none. */
  waitingSince(now: Date): Promise<Date | null>;
  read(endpointid: string): Promise<Queue | null>;
  /** False when the mark has changed or the lease is lost: then read the endpoint again. */
  release(lease: HeldLease & Pick<Queue, "mark">, next: Next): Promise<boolean>;
  /** The backlog up to `until` is dropped. */
  finishDrop(endpointid: string, until: Date): Promise<void>;
  failingSince(endpointids: readonly string[]): Promise<ReadonlyMap<string, Date>>;
}

interface Renewal {
  /** Endpoints that another worker has. */
  readonly lost: ReadonlySet<string>;
  /** The marks of all others. */
  readonly marks: ReadonlyMap<string, string>;
}

type HeldLease = Pick<Queue, "endpointid" | "owner" | "health">;

interface Next {
  /** When something is due again; null when nothing waits. */
  readonly dueAt: Date | null;
  /** Nothing may be sent until a restart, even if it is due. */
  readonly isParked: boolean;
}

const never = new Date(0);

export async function openQueues(service: Pick<Service, "store"> & StartContext): Promise<Queues> {
  const collection = service.store.db.collection<QueueDocument>("queues");
  await ensureIndexes(service, collection, [
    { key: { dueat: 1 }, partialFilterExpression: { dueat: { $exists: true } } },
  ]);
  return { ...marksOf(collection), ...leasesOf(collection), ...readsOf(collection) };
}

function marksOf(collection: Collection<QueueDocument>) {
  /** Two processes may insert an endpoint's first mark at once: then the second updates it. */
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

/** Not leased, not parked, and not resting. */
function free(now: Date) {
  return { until: { $lt: now }, parked: false, restuntil: { $not: { $gt: now } } };
}

function leasesOf(collection: Collection<QueueDocument>) {
  const operations: Pick<Queues, "claim" | "renew" | "release" | "finishDrop"> = {
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
    renew: async (leases, now) => {
      if (leases.length === 0) return { lost: new Set(), marks: new Map() };
      const until = addMs(now, leaseMs);
      await collection.bulkWrite(
        leases.map(({ endpointid, owner, health }) => ({
          updateOne: {
            filter: { _id: new ObjectId(endpointid), owner },
            update: { $set: { until, ...health } },
          },
        })),
        { ordered: false },
      );
      const ids = leases.map(({ endpointid }) => new ObjectId(endpointid));
      const present = await collection
        .find({ _id: { $in: ids } }, { projection: { owner: 1, mark: 1 } })
        .toArray();
      const owners = new Map(leases.map(({ endpointid, owner }) => [endpointid, owner]));
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
    finishDrop: async (endpointid, until) => {
      await collection.updateOne(
        { _id: new ObjectId(endpointid), dropuntil: until },
        { $unset: { dropuntil: "" } },
      );
    },
  };
  return operations;
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
