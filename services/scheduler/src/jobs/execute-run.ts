import { setTimeout as sleep } from "node:timers/promises";
import { addMs, secondMs } from "@malipo/core";
import { callService, type Service } from "@malipo/platform";
import type { Job } from "../domain/jobs.ts";
import { addStep, bucketsOf, type Progress, type Run, sharesLeft } from "../domain/run.ts";
import type { Runs } from "../store/runs.ts";

/** After so many calls without an answer the share is left to the next slot. */
const callAttemptsMax = 5;
const callRetryDelayMs = secondMs;
const saveProgressEveryMs = 500;
/** The owner starts no new record after half of this time. */
const stepTimeoutMs = 10 * secondMs;

/** Asks the job's owner to process share after share, several at once, until no due record is left. */
export async function executeRun(service: Service, runs: Runs, job: Job, run: Run): Promise<void> {
  const { clock, shutdown, log } = service;
  let progress: Progress = run.progress;
  const leaseLost = new AbortController();
  const stop = AbortSignal.any([shutdown.signal, leaseLost.signal]);
  const queue = sharesLeft(progress).values();

  async function processShare(share: number): Promise<void> {
    for (let attempt = 1; !stop.aborted;) {
      const now = clock();
      const body = {
        buckets: bucketsOf(share),
        limit: job.limit,
        until: addMs(now, stepTimeoutMs / 2).toISOString(),
      };
      const step = await callService(service, job.call, {
        body,
        deadline: addMs(now, stepTimeoutMs),
      });
      if (step.ok) {
        progress = addStep(progress, share, step.value, clock());
        if (!step.value.more) return;
        attempt = 1;
      } else if (attempt === callAttemptsMax) {
        progress = { ...progress, problem: step.error.logText ?? step.error.text };
        return;
      } else {
        attempt += 1;
        await sleep(callRetryDelayMs, undefined, { signal: stop }).catch(() => {});
      }
    }
  }

  const saving = setInterval(() => {
    runs.saveProgress(run, progress, clock()).then(
      (isLeaseHeld) => !isLeaseHeld && leaseLost.abort(),
      (error: unknown) => log.warn({ err: error, run: run.id }, "run progress not saved"),
    );
  }, saveProgressEveryMs);
  try {
    await Promise.all(
      Array.from({ length: job.concurrency }, async () => {
        for (const share of queue) await processShare(share);
      }),
    );
  } finally {
    clearInterval(saving);
  }
  // An interrupted run keeps its status, so that another scheduler continues it.
  if (stop.aborted) return;
  const isComplete = sharesLeft(progress).length === 0;
  await runs.finish(run, progress, isComplete ? "done" : "failed", clock());
}
