import type { JobName, Paging } from "@malipo/contracts";
import { addMs, dayMs, secondMs } from "@malipo/core";
import {
  ensureIndexes,
  isDuplicateKey,
  type PageRequest,
  readPage,
  type Service,
  type StartContext,
} from "@malipo/platform";
import { type Collection, type Document, type Filter, ObjectId } from "mongodb";
import { noProgress, type Progress, type Run } from "../domain/run.ts";

const retentionMs = 7 * dayMs;
/** A scheduler renews its lease while it executes a run; after this time others may take it over. */
const leaseMs = 10 * secondMs;

interface RunDocument extends Omit<Run, "id"> {
  readonly _id: ObjectId;
}

export interface Runs {
  /** Null when the slot already has a run. */
  open(run: Pick<Run, "job" | "slot" | "missed">, now: Date): Promise<Run | null>;
  /** The job's newest run that belongs to a slot or covers one. */
  newest(job: JobName): Promise<Run | null>;
  /** The job's oldest run that is waiting or running: it is the one that covers new slots. */
  oldestActive(job: JobName): Promise<Run | null>;
  /** Records that an active run covers a slot, so that the slot gets no run. */
  cover(id: string, slot: Date): Promise<void>;
  /** Leases a run that no scheduler holds, of any job but the given ones. */
  claim(owner: string, now: Date, busy?: readonly JobName[]): Promise<Run | null>;
  /** Saves the progress and renews the lease. False when another scheduler holds the run. */
  saveProgress(run: Run, progress: Progress, now: Date): Promise<boolean>;
  finish(run: Run, progress: Progress, status: "done" | "failed", now: Date): Promise<void>;
  find(id: string): Promise<Run | null>;
  page(filter: RunFilter, request: PageRequest): Promise<{ runs: Run[]; paging: Paging }>;
}

interface RunFilter {
  readonly job?: JobName | undefined;
  readonly found: "any" | "some";
}

const newestFirst = { createdat: -1, _id: -1 } as const;
const active = { status: { $in: ["waiting", "running"] } } as const;

export async function openRuns(service: Pick<Service, "store"> & StartContext): Promise<Runs> {
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
    { key: { endedat: 1 }, name: "kept", expireAfterSeconds: retentionMs / secondMs },
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
      await collection.updateOne({ _id: new ObjectId(id), ...active }, { $max: { covers: slot } });
    },
    claim: async (owner, now, busy = []) => {
      const free = await collection.findOne({
        ...active,
        leaseuntil: { $lte: now },
        ...(busy.length > 0 && { job: { $nin: [...busy] } }),
      });
      if (!free) return null;
      const taken = await collection.findOneAndUpdate(
        { _id: free._id, ...active, owner: free.owner, leaseuntil: free.leaseuntil },
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
    saveProgress: async ({ id, owner }, progress, now) => {
      const { matchedCount } = await collection.updateOne(
        { _id: new ObjectId(id), owner, ...active },
        { $set: { progress, leaseuntil: addMs(now, leaseMs) } },
      );
      return matchedCount === 1;
    },
    finish: async ({ id, owner }, progress, status, now) => {
      await collection.updateOne(
        { _id: new ObjectId(id), owner, ...active },
        { $set: { progress, status, endedat: now } },
      );
    },
  };
}

type Reads = Pick<Runs, "find" | "page" | "newest" | "oldestActive">;

function readsOf(collection: Collection<RunDocument>): Reads {
  const any = { $gt: new Date(0) } as const;
  return {
    newest: async (job) => {
      const filter = { job, $or: [{ slot: any }, { covers: any }] };
      const found = await collection.findOne(filter, { sort: newestFirst });
      return found && runOf(found);
    },
    oldestActive: async (job) => {
      const found = await collection.find({ ...active, leaseuntil: any, job }).toArray();
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
