import type { JobName, RunView, ProcessDueResult } from "@malipo/contracts";
import { bucketCount, cutToJsonBytes, secondMs } from "@malipo/core";

export interface Run {
  readonly id: string;
  readonly job: JobName;
  readonly slot: Date | null;
  readonly covers: Date | null;
  readonly missed: number;
  readonly status: "waiting" | "running" | "done" | "failed";
  /** The scheduler that holds the lease; after `leaseuntil` any scheduler may take the run over. */
  readonly owner: string | null;
  readonly leaseuntil: Date;
  readonly takeovers: number;
  readonly progress: Progress;
  readonly createdat: Date;
  readonly startedat: Date | null;
  readonly endedat: Date | null;
}

/** The progress of a run. A scheduler that takes the run over continues from here. */
export interface Progress {
  readonly found: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** Shares with no due record left. */
  readonly finished: readonly number[];
  readonly lagms: number | null;
  /** The latest error that is not about a single record. */
  readonly problem: string | null;
}

export const noProgress: Progress = {
  found: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  finished: [],
  lagms: null,
  problem: null,
};

/** Adds the result of one step. */
export function addStep(
  progress: Progress,
  share: number,
  step: ProcessDueResult,
  now: Date,
): Progress {
  const lagms = step.oldest === null ? null : now.getTime() - new Date(step.oldest).getTime();
  return {
    ...progress,
    found: progress.found + step.found,
    done: progress.done + step.done,
    skipped: progress.skipped + step.skipped,
    failed: progress.failed + step.failed,
    finished: step.more ? progress.finished : [...progress.finished, share],
    lagms: lagms === null ? progress.lagms : Math.max(lagms, progress.lagms ?? 0),
  };
}

/** Buckets per share: large enough that a run with nothing due makes few calls. */
const shareSize = 4;
export const shareCount = bucketCount / shareSize;

export function bucketsOf(share: number): number[] {
  return Array.from({ length: shareSize }, (_, index) => share * shareSize + index);
}

export function sharesLeft({ finished }: Progress): number[] {
  return Array.from({ length: shareCount }, (_, share) => share).filter(
    (share) => !finished.includes(share),
  );
}

/** A problem may be the text of any error, and a page of runs must fit into a reply. */
const problemJsonMaxBytes = 2_000;

export function viewRun(run: Run): RunView {
  const { progress, startedat, endedat } = run;
  const { found, done, skipped, failed } = progress;
  return {
    _id: run.id,
    job: run.job,
    slot: run.slot?.toISOString() ?? null,
    covers: run.covers?.toISOString() ?? null,
    missed: run.missed,
    status: run.status,
    found,
    done,
    skipped,
    failed,
    shares: { done: progress.finished.length, of: shareCount },
    lagseconds: progress.lagms === null ? null : progress.lagms / secondMs,
    seconds: startedat && endedat ? (endedat.getTime() - startedat.getTime()) / secondMs : null,
    takeovers: run.takeovers,
    problem: progress.problem && cutToJsonBytes(progress.problem, problemJsonMaxBytes),
    startedat: startedat?.toISOString() ?? null,
    endedat: endedat?.toISOString() ?? null,
    createdat: run.createdat.toISOString(),
  };
}
