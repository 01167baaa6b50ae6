import { secondMs } from "@malipo/core";
import { gaugeOnScrape, recently, type Service } from "@malipo/platform";
import { jobs } from "../domain/jobs.ts";
import { type Run, sharesLeft, shareCount } from "../domain/run.ts";
import type { Runs } from "../store/runs.ts";

type MetricsService = Pick<Service, "metrics" | "clock">;

/** Whoever works at a run renews its lease, however long it takes. */
export function idleMs({ endedat, leaseuntil }: Run, now: Date): number {
  return Math.max(0, now.getTime() - (endedat ?? leaseuntil).getTime());
}

/** How each job stands, from its newest run: the same whichever scheduler is asked. */
export function measureRuns({ metrics, clock }: MetricsService, runs: Pick<Runs, "newest">): void {
  const look = recently(async () => {
    const newest = jobs.map(async ({ name: job }) => ({ job, run: await runs.newest(job) }));
    return (await Promise.all(newest)).flatMap(({ job, run }) => (run ? [{ job, run }] : []));
  });
  const gauge = (name: string, help: string, valueOf: (run: Run) => number) =>
    gaugeOnScrape(metrics.exported, { name, help }, async () =>
      (await look()).map(({ job, run }) => [{ run_job: job }, valueOf(run)]),
    );
  gauge(
    "malipo_run_lag_seconds",
    "How late the newest run's latest record was worked off, of those it found",
    ({ progress }) => (progress.lagms ?? 0) / secondMs,
  );
  gauge(
    "malipo_run_age_seconds",
    "Since when nobody works at the job: 0 while its newest run is worked at",
    (run) => idleMs(run, clock()) / secondMs,
  );
  gauge(
    "malipo_run_progress_ratio",
    "How much of the newest run is done, 0 to 1",
    ({ progress }) => 1 - sharesLeft(progress).length / shareCount,
  );
  gauge("malipo_run_failed", "1 if the newest run has failed", ({ status }) =>
    status === "failed" ? 1 : 0,
  );
  gaugeOnScrape(
    metrics.exported,
    {
      name: "malipo_run_records",
      help: "Records of the newest run, by what became of them: found, done, skipped, failed",
    },
    async () =>
      (await look()).flatMap(({ job, run: { progress } }) =>
        (["found", "done", "skipped", "failed"] as const).map(
          (outcome) => [{ run_job: job, outcome }, progress[outcome]] as const,
        ),
      ),
  );
}
