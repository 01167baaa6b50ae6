import { randomUUID } from "node:crypto";
import { addMs, type Clock, secondMs } from "@malipo/core";
import type { Collection, Db } from "mongodb";
import { isDuplicateKey } from "../mongo/connection.ts";

/** Whoever is silent for so long has lost its turn. */
const turnMs = 10 * secondMs;

/** The last message that was done with; its id tells whether the stream is still the same. */
export interface Place {
  readonly seq: number;
  readonly messageid: string;
}

interface FollowerDocument extends Partial<Place> {
  readonly _id: string;
  readonly owner: string;
  readonly until: Date;
}

/** The right to be the one process that follows the stream. Nothing is lost if two think so. */
export interface Turn {
  /** Where the process before left off. */
  readonly place: Place | undefined;
  /** Everything up to there is done; written down when the turn is next kept, or ends. */
  note(place: Place): void;
  /** False when somebody else has taken over meanwhile. */
  keep(): Promise<boolean>;
  end(): Promise<void>;
}

/** Undefined while it is another process's turn. */
export async function takeTurn(db: Db, name: string, clock: Clock): Promise<Turn | undefined> {
  const followers = db.collection<FollowerDocument>("followers");
  const owner = randomUUID();
  const before = await take(followers, name, owner, clock());
  if (before === "taken") return undefined;
  const mine = { _id: name, owner };
  let reached: Place | undefined;
  return {
    place:
      before?.seq === undefined || before.messageid === undefined
        ? undefined
        : { seq: before.seq, messageid: before.messageid },
    note: (place) => {
      reached = place;
    },
    keep: async () => {
      const until = addMs(clock(), turnMs);
      const { matchedCount } = await followers.updateOne(mine, { $set: { until, ...reached } });
      return matchedCount === 1;
    },
    end: async () => {
      await followers.updateOne(mine, { $set: { until: new Date(0), ...reached } });
    },
  };
}

async function take(
  followers: Collection<FollowerDocument>,
  name: string,
  owner: string,
  now: Date,
): Promise<FollowerDocument | null | "taken"> {
  try {
    return await followers.findOneAndUpdate(
      { _id: name, until: { $lt: now } },
      { $set: { owner, until: addMs(now, turnMs) } },
      { upsert: true, returnDocument: "before" },
    );
  } catch (error) {
    // The document is there, and somebody's turn is not over.
    if (isDuplicateKey(error)) return "taken";
    throw error;
  }
}
