import { setTimeout as sleep } from "node:timers/promises";
import { routes, type RunView } from "@malipo/contracts";
import type { CommandContext } from "../../command-line/command.ts";

const pollIntervalMs = 300;
const barWidth = 24;

/** Shows the progress of a run until it has ended, then prints the run. */
export async function followRun(id: string, { api, printer }: CommandContext): Promise<void> {
  for (;;) {
    const { data } = await api.call(routes.getRun, { params: { id } });
    if (data.status === "done" || data.status === "failed") {
      printer.endProgress();
      return printer.record(data);
    }
    printer.progress(buildProgressLine(data));
    await sleep(pollIntervalMs);
  }
}

type Progress = Pick<
  RunView,
  "job" | "status" | "shares" | "found" | "done" | "skipped" | "failed"
>;

export function buildProgressLine(run: Progress): string {
  const { shares, status, found, done, skipped, failed } = run;
  const full = Math.round((shares.done / shares.of) * barWidth);
  const bar = "#".repeat(full) + ".".repeat(barWidth - full);
  const trouble = failed > 0 ? `, ${failed} failed` : "";
  return `${run.job} ${status} [${bar}] ${found} found, ${done} done, ${skipped} skipped${trouble}`;
}
