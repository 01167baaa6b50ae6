import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Service } from "@malipo/platform";
import { addMs, secondMs } from "@malipo/core";
import type { Job } from "../domain/jobs.ts";
import { addStep, bucketsOf, type Progress, type Run, sharesLeft } from "../domain/run.ts";
import type { Runs } from "../store/runs.ts";

/** An owner that does not answer is asked again after a while, but not for ever: the next slot comes. */
const asksMax = 5;
const pauseMs = secondMs;
const reportEveryMs = 500;
/** A step begins nothing new after half of it. */
const stepMs = 10 * secondMs;

interface Working {
  readonly service: Service;
  readonly runs: Runs;
}

/** Asks the owner share by share, several at once, until nothing is left. */
export async function work({ service, runs }: Working, job: Job, run: Run): Promise<void> {
  const { clock, shutdown, log } = service;
  let progress: Progress = run.progress;
  const lost = new AbortController();
  const stop = AbortSignal.any([shutdown.signal, lost.signal]);
  const queue = sharesLeft(progress).values();

  async function workShare(share: number): Promise<void> {
    for (let asks = 1; !stop.aborted;) {
      const now = clock();
      const body = {
        buckets: bucketsOf(share),
        limit: job.limit,
        until: addMs(now, stepMs / 2).toISOString(),
      };
      const asked = await ask(service, job.call, { body, deadline: addMs(now, stepMs) });
      if (asked.ok) {
        progress = addStep(progress, share, asked.value, clock());
        if (!asked.value.more) return;
        asks = 1;
      } else if (asks === asksMax) {
        progress = { ...progress, problem: asked.error.detail ?? asked.error.text };
        return;
      } else {
        asks += 1;
        await sleep(pauseMs, undefined, { signal: stop }).catch(() => {});
      }
    }
  }

  const reporting = setInterval(() => {
    runs.report(run, progress, clock()).then(
      (isOurs) => !isOurs && lost.abort(),
      (error: unknown) => log.warn({ err: error, run: run.id }, "progress not saved"),
    );
  }, reportEveryMs);
  try {
    await Promise.all(
      Array.from({ length: job.concurrency }, async () => {
        for (const share of queue) await workShare(share);
      }),
    );
  } finally {
    clearInterval(reporting);
  }
  // Stopped in the middle, it is left for whoever comes next.
  if (stop.aborted) return;
  const isWhole = sharesLeft(progress).length === 0;
  await runs.finish(run, progress, isWhole ? "done" : "failed", clock());
}
