import { setTimeout as sleep } from "node:timers/promises";
import { runInTrace, type Service } from "@malipo/platform";
import { type Job, jobs } from "../domain/jobs.ts";
import type { Run } from "../domain/run.ts";
import type { Runs } from "../store/runs.ts";
import { missedBetween, slotOf } from "../domain/slot.ts";
import { work } from "./execute-run.ts";

const tickMs = 500;
/** More runs at once than there are jobs come only from operators. */
const runsMax = 8;

/** Opens a run for each slot that comes, and works off whatever run nobody has. */
export function startClockwork(service: Service, runs: Runs, owner: string): void {
  const { shutdown, log } = service;
  const working = new Map<Promise<void>, Run["job"]>();

  async function tick(): Promise<void> {
    for (const job of jobs) await openSlot(runs, job, service.clock());
    while (working.size < runsMax) {
      // Two runs of one job would work at the same shares: the second waits.
      const run = await runs.claim(owner, service.clock(), [...working.values()]);
      if (!run) return;
      const ended = carryOut(run).finally(() => working.delete(ended));
      working.set(ended, run.job);
    }
  }

  async function carryOut(run: Run): Promise<void> {
    const job = jobs.find(({ name }) => name === run.job);
    if (!job) return;
    const span = service.tracer?.start({ name: `run ${job.name}`, kind: "internal" });
    try {
      await runInTrace(span?.traceparent, () => work({ service, runs }, job, run));
      span?.end();
    } catch (error) {
      const line = { err: error, run: run.id, job: run.job, trace_id: span?.traceid };
      log.error(line, "run broke off; it will be taken over");
      span?.end({ problem: "broke off" });
    }
  }

  async function run(): Promise<void> {
    while (!shutdown.signal.aborted) {
      await tick().catch((error: unknown) => log.warn({ err: error }, "tick failed"));
      await sleep(tickMs, undefined, { signal: shutdown.signal }).catch(() => {});
    }
    await Promise.all(working.keys());
  }

  const ended = run();
  shutdown.on("intake", () => ended);
}

/**
 * Any number of schedulers agree on one run for a slot. A run that lives, whoever has asked for it,
 * covers what comes meanwhile: two at once would only get in each other's way.
 */
export async function openSlot(runs: Runs, { name, everyMs }: Job, now: Date): Promise<void> {
  const slot = slotOf(now, everyMs);
  const last = await runs.newest(name);
  if (last && (last.covers ?? last.slot ?? slot) >= slot) return;
  const living = await runs.oldestLiving(name);
  if (living) return runs.cover(living.id, slot);
  const missed = missedBetween(last && (last.covers ?? last.slot), slot, everyMs);
  await runs.open({ job: name, slot, missed }, now);
}
