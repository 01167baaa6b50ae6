import { secondMs } from "@malipo/core";
import { gaugeOnScrape, cacheLookup, type Service } from "@malipo/platform";
import { jobs } from "../domain/jobs.ts";
import { type Run, sharesLeft, shareCount } from "../domain/run.ts";
import type { Runs } from "../store/runs.ts";

type MetricsService = Pick<Service, "metrics" | "clock">;

/** How long no scheduler has held the run. A scheduler that executes a run renews its lease. */
export function idleMs({ endedat, leaseuntil }: Run, now: Date): number {
  return Math.max(0, now.getTime() - (endedat ?? leaseuntil).getTime());
}

/** Gauges of each job's newest run, read from the store, so that every scheduler exports the same. */
export function measureRuns({ metrics, clock }: MetricsService, runs: Pick<Runs, "newest">): void {
  const newestRuns = cacheLookup(async () => {
    const runOfEach = jobs.map(async ({ name: job }) => ({ job, run: await runs.newest(job) }));
    return (await Promise.all(runOfEach)).flatMap(({ job, run }) => (run ? [{ job, run }] : []));
  });
  const gauge = (name: string, help: string, valueOf: (run: Run) => number) =>
    gaugeOnScrape(metrics.exported, { name, help }, async () =>
      (await newestRuns()).map(({ job, run }) => [{ run_job: job }, valueOf(run)]),
    );
  gauge(
    "malipo_run_lag_seconds",
    "The largest delay of a record that the newest run processed",
    ({ progress }) => (progress.lagms ?? 0) / secondMs,
  );
  gauge(
    "malipo_run_age_seconds",
    "Seconds since a scheduler last held the newest run: 0 while it is executed",
    (run) => idleMs(run, clock()) / secondMs,
  );
  gauge(
    "malipo_run_progress_ratio",
    "The share of the newest run that is done, 0 to 1",
    ({ progress }) => 1 - sharesLeft(progress).length / shareCount,
  );
  gauge("malipo_run_failed", "1 if the newest run has failed", ({ status }) =>
    status === "failed" ? 1 : 0,
  );
  gaugeOnScrape(
    metrics.exported,
    {
      name: "malipo_run_records",
      help: "Records of the newest run by outcome: found, done, skipped, failed",
    },
    async () =>
      (await newestRuns()).flatMap(({ job, run: { progress } }) =>
        (["found", "done", "skipped", "failed"] as const).map(
          (outcome) => [{ run_job: job, outcome }, progress[outcome]] as const,
        ),
      ),
  );
}
