import { setTimeout as sleep } from "node:timers/promises";
import { routes, type RunView } from "@malipo/contracts";
import type { Context } from "../../command-line/command.ts";

const lookEveryMs = 300;
const barWidth = 24;

/** A line that grows until the run has ended, and then what came of it. */
export async function watchRun(id: string, { api, print }: Context): Promise<void> {
  for (;;) {
    const { data } = await api.ask(routes.getRun, { params: { id } });
    if (data.status === "done" || data.status === "failed") {
      print.endProgress();
      return print.record(data);
    }
    print.progress(progressLine(data));
    await sleep(lookEveryMs);
  }
}

type Progress = Pick<
  RunView,
  "job" | "status" | "shares" | "found" | "done" | "skipped" | "failed"
>;

export function progressLine(run: Progress): string {
  const { shares, status, found, done, skipped, failed } = run;
  const full = Math.round((shares.done / shares.of) * barWidth);
  const bar = "#".repeat(full) + ".".repeat(barWidth - full);
  const trouble = failed > 0 ? `, ${failed} failed` : "";
  return `${run.job} ${status} [${bar}] ${found} found, ${done} done, ${skipped} skipped${trouble}`;
}
