import type { JobName, RunView, ProcessDueResult } from "@malipo/contracts";
import { bucketCount, secondMs } from "@malipo/core";

export interface Run {
  readonly id: string;
  readonly job: JobName;
  readonly slot: Date | null;
  readonly covers: Date | null;
  readonly missed: number;
  readonly status: "waiting" | "running" | "done" | "failed";
  /** Whose it is, until when; whoever finds it later takes it over. */
  readonly owner: string | null;
  readonly leaseuntil: Date;
  readonly takeovers: number;
  readonly progress: Progress;
  readonly createdat: Date;
  readonly startedat: Date | null;
  readonly endedat: Date | null;
}

/** How far a run has come: a takeover goes on from here. */
export interface Progress {
  readonly found: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** Shares in which nothing is left. */
  readonly finished: readonly number[];
  readonly lagms: number | null;
  /** The newest of what went wrong, other than with single records. */
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

/** Adds what one step did. */
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

/** What one worker takes at a time: so many buckets that an idle run costs little. */
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
    problem: progress.problem,
    startedat: startedat?.toISOString() ?? null,
    endedat: endedat?.toISOString() ?? null,
    createdat: run.createdat.toISOString(),
  };
}
