import type { Folder } from "./folder/folder.ts";
import { startGuard } from "./supervisor/guard.ts";
import type { LogFiles } from "./supervisor/log-files.ts";
import type { Plan } from "./plan.ts";
import { UserError } from "./terminal/user-error.ts";
import { supervise } from "./supervisor/supervise.ts";

const readyTimeoutMs = 60_000;
/** For each group of the plan, in milliseconds. The sum is well below five seconds. */
const stopWithinMs = [1300, 1300, 1000];

export interface RunningPlan {
  /** Rejects if a program is given up, after a timeout, or when `giveUp` is aborted. */
  ready(giveUp?: AbortSignal): Promise<void>;
  /** Resolves with the reason when a program was given up. */
  readonly failed: Promise<string>;
  processes(): { name: string; pid: number | undefined }[];
  /** The id of the process that ends all others if this process is killed. */
  guard(): number | undefined;
  stop(): Promise<void>;
}

/** Starts all programs at once, because each one waits for its own dependencies, and keeps them running. */
export function runPlan(
  plan: Pick<Plan, "groups">,
  folder: Folder,
  logs: LogFiles,
  report: (line: string) => void,
): RunningPlan {
  const guard = startGuard();
  const failed = Promise.withResolvers<string>();
  const context = {
    pidFolder: folder.pids,
    report,
    onChange: () => guard.watch(processes().flatMap(({ pid }) => pid ?? [])),
    onGiveUp: (program: string, ended: string) =>
      failed.resolve(`${program} does not start (${ended}); its log is ${logs.pathOf(program)}`),
  };
  const groups: ReturnType<typeof supervise>[][] = [];
  function processes(): { name: string; pid: number | undefined }[] {
    return groups.flat().map((supervised) => ({ name: supervised.name, pid: supervised.pid() }));
  }
  for (const group of plan.groups) {
    groups.push(group.map((program) => supervise(program, logs.open(program.name), context)));
  }
  context.onChange();

  return {
    processes,
    guard: () => guard.pid(),
    failed: failed.promise,
    ready: async (giveUp) => {
      const problem = await Promise.race([
        Promise.all(groups.flat().map(({ firstReady }) => firstReady)).then(() => undefined),
        failed.promise,
        waitForTimeout(() => groups.flat().filter((each) => !each.isReady())),
        waitForAbort(giveUp),
      ]);
      if (problem !== undefined) throw new UserError(problem);
    },
    stop: async () => {
      for (const [index, group] of groups.entries()) {
        await Promise.all(group.map((supervised) => supervised.stop(stopWithinMs[index] ?? 0)));
      }
      await guard.close();
    },
  };
}

async function waitForTimeout(waiting: () => { name: string }[]): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, readyTimeoutMs).unref());
  const names = waiting().map(({ name }) => name);
  return `Not ready within ${readyTimeoutMs / 1000} s: ${names.join(", ")}.`;
}

async function waitForAbort(giveUp: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve) => {
    const stop = (): void => resolve("Stopped before it was ready.");
    if (giveUp?.aborted) stop();
    else giveUp?.addEventListener("abort", stop, { once: true });
  });
}
