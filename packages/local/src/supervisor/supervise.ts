import { setTimeout as pause } from "node:timers/promises";
import { forgetProcess, rememberProcess } from "./leftovers.ts";
import { runProgram, type Program, type RunningProgram } from "./program.ts";
import { decideRestart, noRestarts } from "./restart-policy.ts";

const probeIntervalMs = 25;

export interface SupervisorContext {
  /** Stores process ids, so that the next start can end them if the supervisor is killed. */
  readonly pidFolder: string;
  readonly report: (line: string) => void;
  /** Called after a process has started or ended. */
  readonly onChange: () => void;
  readonly onGiveUp: (program: string, ended: string) => void;
}

export interface Supervised {
  readonly name: string;
  /** Undefined between the end of a process and its restart. */
  pid(): number | undefined;
  isReady(): boolean;
  /** Resolves when the program is ready for the first time. Never rejects. */
  readonly firstReady: Promise<void>;
  /** Sends SIGTERM, then SIGKILL after `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/** Keeps one program running until `stop` is called. */
export function supervise(
  program: Program,
  output: number,
  context: SupervisorContext,
): Supervised {
  const stopping = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  let current: RunningProgram | undefined;
  let ready = false;

  async function runOnce(): Promise<{ ended: string; becameReady: boolean; livedMs: number }> {
    const startedAtMs = performance.now();
    const running = runProgram(program, output);
    if (running.pid === undefined) {
      return { ended: await running.ended, becameReady: false, livedMs: 0 };
    }
    current = running;
    rememberProcess(context.pidFolder, program.name, running.pid);
    context.onChange();
    const life = new AbortController();
    void waitUntilReady(program, life.signal).then((becameReady) => {
      if (!becameReady) return;
      ready = true;
      firstReady.resolve();
    });
    const ended = await running.ended;
    life.abort();
    const becameReady = ready;
    ready = false;
    current = undefined;
    forgetProcess(context.pidFolder, program.name);
    context.onChange();
    return { ended, becameReady, livedMs: performance.now() - startedAtMs };
  }

  async function keepAlive(): Promise<void> {
    for (let history = noRestarts; !stopping.signal.aborted;) {
      const run = await runOnce();
      if (stopping.signal.aborted) return;
      const restart = decideRestart(history, run);
      if (restart.kind === "give-up") {
        context.onGiveUp(program.name, run.ended);
        return;
      }
      context.report(`${program.name} ended (${run.ended}); restarting.`);
      history = restart.history;
      await pause(restart.delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const stopped = keepAlive();
  return {
    name: program.name,
    pid: () => current?.pid,
    isReady: () => ready,
    firstReady: firstReady.promise,
    stop: async (withinMs) => {
      stopping.abort();
      current?.signal("SIGTERM");
      const killing = setTimeout(() => current?.signal("SIGKILL"), withinMs);
      await stopped;
      clearTimeout(killing);
    },
  };
}

async function waitUntilReady(program: Program, life: AbortSignal): Promise<boolean> {
  while (!life.aborted) {
    if ((await program.isReady()) && !life.aborted) return true;
    await pause(probeIntervalMs);
  }
  return false;
}
