import type { JobName, Paging } from "@malipo/contracts";
import { addMs, dayMs, secondMs } from "@malipo/core";
import {
  ensureIndexes,
  isDuplicateKey,
  type PageRequest,
  readPage,
  type Service,
  type Starting,
} from "@malipo/platform";
import { type Collection, type Document, type Filter, ObjectId } from "mongodb";
import { noProgress, type Progress, type Run } from "../domain/run.ts";

/** Runs are kept for so long. */
const keptMs = 7 * dayMs;
/** A scheduler that says nothing for so long is gone, and its runs are anybody's. */
const leaseMs = 10 * secondMs;

interface RunDocument extends Omit<Run, "id"> {
  readonly _id: ObjectId;
}

export interface Runs {
  /** Null when somebody else has made the slot's run. */
  open(run: Pick<Run, "job" | "slot" | "missed">, now: Date): Promise<Run | null>;
  /** The job's newest run that was for a slot, or has covered one. */
  newest(job: JobName): Promise<Run | null>;
  /** The job's run that has lived the longest: while it does, no newer one covers a slot. */
  oldestLiving(job: JobName): Promise<Run | null>;
  /** A slot that comes while a run lives is covered by it. */
  cover(id: string, slot: Date): Promise<void>;
  /** Takes a run that nobody has, or whose scheduler is gone, of any but these jobs. */
  claim(owner: string, now: Date, busy?: readonly JobName[]): Promise<Run | null>;
  /** False when the run is somebody else's by now. */
  report(run: Run, progress: Progress, now: Date): Promise<boolean>;
  finish(run: Run, progress: Progress, status: "done" | "failed", now: Date): Promise<void>;
  find(id: string): Promise<Run | null>;
  page(filter: RunFilter, request: PageRequest): Promise<{ runs: Run[]; paging: Paging }>;
}

interface RunFilter {
  readonly job?: JobName | undefined;
  readonly found: "any" | "some";
}

const newestFirst = { createdat: -1, _id: -1 } as const;
const alive = { status: { $in: ["waiting", "running"] } } as const;

export async function openRuns(service: Pick<Service, "store"> & Starting): Promise<Runs> {
  const collection = service.store.db.collection<RunDocument>("runs");
  await ensureIndexes(service, collection, [
    {
      key: { job: 1, slot: 1 },
      name: "one-a-slot",
      unique: true,
      partialFilterExpression: { slot: { $gt: new Date(0) } },
    },
    { key: { status: 1, leaseuntil: 1 } },
    { key: newestFirst },
    { key: { job: 1, ...newestFirst } },
    { key: { endedat: 1 }, name: "kept", expireAfterSeconds: keptMs / secondMs },
  ]);
  return { ...runsIn(collection), ...readsOf(collection) };
}

function runsIn(collection: Collection<RunDocument>): Omit<Runs, keyof Reads> {
  return {
    open: async ({ job, slot, missed }, now) => {
      const document: RunDocument = {
        _id: new ObjectId(),
        job,
        slot,
        covers: null,
        missed,
        status: "waiting",
        owner: null,
        leaseuntil: now,
        takeovers: 0,
        progress: noProgress,
        createdat: now,
        startedat: null,
        endedat: null,
      };
      try {
        await collection.insertOne(document);
        return runOf(document);
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
    cover: async (id, slot) => {
      await collection.updateOne({ _id: new ObjectId(id), ...alive }, { $max: { covers: slot } });
    },
    claim: async (owner, now, busy = []) => {
      const free = await collection.findOne({
        ...alive,
        leaseuntil: { $lte: now },
        ...(busy.length > 0 && { job: { $nin: [...busy] } }),
      });
      if (!free) return null;
      const taken = await collection.findOneAndUpdate(
        { _id: free._id, ...alive, owner: free.owner, leaseuntil: free.leaseuntil },
        {
          $set: {
            status: "running",
            owner,
            leaseuntil: addMs(now, leaseMs),
            startedat: free.startedat ?? now,
          },
          $inc: { takeovers: free.owner === null ? 0 : 1 },
        },
        { returnDocument: "after" },
      );
      return taken && runOf(taken);
    },
    report: async ({ id, owner }, progress, now) => {
      const { matchedCount } = await collection.updateOne(
        { _id: new ObjectId(id), owner, ...alive },
        { $set: { progress, leaseuntil: addMs(now, leaseMs) } },
      );
      return matchedCount === 1;
    },
    finish: async ({ id, owner }, progress, status, now) => {
      await collection.updateOne(
        { _id: new ObjectId(id), owner, ...alive },
        { $set: { progress, status, endedat: now } },
      );
    },
  };
}

type Reads = Pick<Runs, "find" | "page" | "newest" | "oldestLiving">;

function readsOf(collection: Collection<RunDocument>): Reads {
  const any = { $gt: new Date(0) } as const;
  return {
    newest: async (job) => {
      const filter = { job, $or: [{ slot: any }, { covers: any }] };
      const found = await collection.findOne(filter, { sort: newestFirst });
      return found && runOf(found);
    },
    oldestLiving: async (job) => {
      const found = await collection.find({ ...alive, leaseuntil: any, job }).toArray();
      const [oldest] = found.toSorted((a, b) => a.createdat.getTime() - b.createdat.getTime());
      return oldest ? runOf(oldest) : null;
    },
    find: async (id) => {
      const found = await collection.findOne({ _id: new ObjectId(id) });
      return found && runOf(found);
    },
    page: async ({ job, found }, request) => {
      const filter: Filter<RunDocument> = {
        ...(job && { job }),
        ...(found === "some" && { "progress.found": { $gt: 0 } }),
      };
      const { documents, paging } = await readPage(
        collection,
        filter,
        { sort: newestFirst },
        request,
      );
      return { runs: documents.map(runOf), paging };
    },
  };
}

function runOf({ _id, ...fields }: RunDocument & Document): Run {
  return { id: String(_id), ...fields };
}
