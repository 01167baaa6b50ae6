import { setTimeout as sleep } from "node:timers/promises";
import { runInTrace, type Service } from "@malipo/platform";
import { type Job, jobs } from "../domain/jobs.ts";
import type { Run } from "../domain/run.ts";
import { missedBetween, slotOf } from "../domain/slot.ts";
import type { Runs } from "../store/runs.ts";
import { executeRun } from "./execute-run.ts";

const loopEveryMs = 500;
/** There are fewer jobs than this, so only operators can start more runs. */
const concurrentRunsMax = 8;

/** Opens a run for each new time slot, and executes the runs that no scheduler holds. */
export function startSchedulerLoop(service: Service, runs: Runs, owner: string): void {
  const { shutdown, log } = service;
  const executing = new Map<Promise<void>, Run["job"]>();

  async function openAndClaim(): Promise<void> {
    for (const job of jobs) await openSlot(runs, job, service.clock());
    while (executing.size < concurrentRunsMax) {
      // Two runs of one job would process the same shares, so the second one waits.
      const run = await runs.claim(owner, service.clock(), [...executing.values()]);
      if (!run) return;
      const ended = execute(run).finally(() => executing.delete(ended));
      executing.set(ended, run.job);
    }
  }

  async function execute(run: Run): Promise<void> {
    const job = jobs.find(({ name }) => name === run.job);
    if (!job) return;
    const span = service.tracer?.start({ name: `run ${job.name}`, kind: "internal" });
    try {
      await runInTrace(span?.traceparent, () => executeRun(service, runs, job, run));
      span?.end();
    } catch (error) {
      const line = { err: error, run: run.id, job: run.job, trace_id: span?.traceid };
      log.error(line, "run interrupted; will be taken over");
      span?.end({ problem: "interrupted" });
    }
  }

  async function loop(): Promise<void> {
    while (!shutdown.signal.aborted) {
      await openAndClaim().catch((error: unknown) => {
        log.warn({ err: error }, "scheduler loop failed; will retry");
      });
      await sleep(loopEveryMs, undefined, { signal: shutdown.signal }).catch(() => {});
    }
    await Promise.all(executing.keys());
  }

  const ended = loop();
  shutdown.on("intake", () => ended);
}

/**
 * Opens the run of the current slot, unless it exists. A unique index makes all schedulers agree on
 * one. An active run of the job, also one that an operator started, covers the slot instead: two
 * runs at once would compete for the same records.
 */
export async function openSlot(runs: Runs, { name, everyMs }: Job, now: Date): Promise<void> {
  const slot = slotOf(now, everyMs);
  const last = await runs.newest(name);
  if (last && (last.covers ?? last.slot ?? slot) >= slot) return;
  const active = await runs.oldestActive(name);
  if (active) return runs.cover(active.id, slot);
  const missed = missedBetween(last && (last.covers ?? last.slot), slot, everyMs);
  await runs.open({ job: name, slot, missed }, now);
}
