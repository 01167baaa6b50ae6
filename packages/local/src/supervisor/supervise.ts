import { setTimeout as pause } from "node:timers/promises";
import { forgetProcess, rememberProcess } from "./leftovers.ts";
import { runProgram, type Program, type RunningProgram } from "./program.ts";
import { decideRestart, noRestarts } from "./restart-policy.ts";

const probeEveryMs = 25;

export interface SupervisorContext {
  /** Where process ids are remembered for the case that the supervisor itself is killed. */
  readonly pidFolder: string;
  readonly report: (line: string) => void;
  /** Called whenever a process came or went. */
  readonly onChange: () => void;
  readonly onGiveUp: (program: string, ended: string) => void;
}

export interface Supervised {
  readonly name: string;
  /** Undefined while it is between two lives. */
  pid(): number | undefined;
  isReady(): boolean;
  /** Resolves when it is ready for the first time; never rejects. */
  readonly firstReady: Promise<void>;
  /** SIGTERM, and SIGKILL when the time is over. */
  stop(withinMs: number): Promise<void>;
}

/** Keeps one program running until told to stop it. */
export function supervise(
  program: Program,
  output: number,
  context: SupervisorContext,
): Supervised {
  const stopping = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  let current: RunningProgram | undefined;
  let ready = false;

  async function liveOnce(): Promise<{ ended: string; becameReady: boolean; livedMs: number }> {
    const began = performance.now();
    const running = runProgram(program, output);
    if (running.pid === undefined) {
      return { ended: await running.ended, becameReady: false, livedMs: 0 };
    }
    current = running;
    rememberProcess(context.pidFolder, program.name, running.pid);
    context.onChange();
    const life = new AbortController();
    void untilReady(program, life.signal).then((becameReady) => {
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
    return { ended, becameReady, livedMs: performance.now() - began };
  }

  async function keepAlive(): Promise<void> {
    for (let history = noRestarts; !stopping.signal.aborted;) {
      const life = await liveOnce();
      if (stopping.signal.aborted) return;
      const restart = decideRestart(history, life);
      if (restart.kind === "give-up") {
        context.onGiveUp(program.name, life.ended);
        return;
      }
      context.report(`${program.name} ended (${life.ended}) and is started again.`);
      history = restart.history;
      await pause(restart.delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const whole = keepAlive();
  return {
    name: program.name,
    pid: () => current?.pid,
    isReady: () => ready,
    firstReady: firstReady.promise,
    stop: async (withinMs) => {
      stopping.abort();
      current?.signal("SIGTERM");
      const killing = setTimeout(() => current?.signal("SIGKILL"), withinMs);
      await whole;
      clearTimeout(killing);
    },
  };
}

async function untilReady(program: Program, life: AbortSignal): Promise<boolean> {
  while (!life.aborted) {
    if ((await program.isReady()) && !life.aborted) return true;
    await pause(probeEveryMs);
  }
  return false;
}
