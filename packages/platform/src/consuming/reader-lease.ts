import { randomUUID } from "node:crypto";
import { addMs, type Clock, secondMs } from "@malipo/core";
import type { Collection, Db } from "mongodb";
import { isDuplicateKey } from "../mongo/index.ts";

/** A process that does not renew its lease for this long loses it. */
const leaseMs = 10 * secondMs;

/** The last processed message. Its id tells whether the stream is still the same one. */
export interface StreamPosition {
  readonly seq: number;
  readonly messageid: string;
}

/** Stored under its old names: the collection is `followers`. */
interface LeaseDocument extends Partial<StreamPosition> {
  readonly _id: string;
  readonly owner: string;
  readonly until: Date;
}

/**
 * The lease on being the only process that reads a stream in order, with the position that it has
 * reached. Correctness does not rest on it: handlers bear two readers at once.
 */
export interface ReaderLease {
  /** The position that the reader before has stored. */
  readonly position: StreamPosition | undefined;
  /** Sets the position that `renew` and `end` store. */
  advance(position: StreamPosition): void;
  /** False if another process has taken the lease. */
  renew(): Promise<boolean>;
  end(): Promise<void>;
}

/** Undefined while another process holds the lease. */
export async function acquireReaderLease(
  db: Db,
  name: string,
  clock: Clock,
): Promise<ReaderLease | undefined> {
  const leases = db.collection<LeaseDocument>("followers");
  const owner = randomUUID();
  const before = await acquire(leases, name, owner, clock());
  if (before === "held") return undefined;
  const ownLease = { _id: name, owner };
  let reached: StreamPosition | undefined;
  return {
    position:
      before?.seq === undefined || before.messageid === undefined
        ? undefined
        : { seq: before.seq, messageid: before.messageid },
    advance: (position) => {
      reached = position;
    },
    renew: async () => {
      const until = addMs(clock(), leaseMs);
      const { matchedCount } = await leases.updateOne(ownLease, { $set: { until, ...reached } });
      return matchedCount === 1;
    },
    end: async () => {
      await leases.updateOne(ownLease, { $set: { until: new Date(0), ...reached } });
    },
  };
}

/** The document before, null for the first lease ever, or "held" if another process has it. */
async function acquire(
  leases: Collection<LeaseDocument>,
  name: string,
  owner: string,
  now: Date,
): Promise<LeaseDocument | null | "held"> {
  try {
    return await leases.findOneAndUpdate(
      { _id: name, until: { $lt: now } },
      { $set: { owner, until: addMs(now, leaseMs) } },
      { upsert: true, returnDocument: "before" },
    );
  } catch (error) {
    // The filter did not match, so the upsert tried to insert: the lease has not expired.
    if (isDuplicateKey(error)) return "held";
    throw error;
  }
}
