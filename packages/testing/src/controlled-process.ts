import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runProgram, startGuard, type Program, type RunningProgram } from "@malipo/local";
import { temporaryFolder } from "./temporary-folder.ts";

const lookEveryMs = 10;
const readyWithinMs = 50_000;
/** Longer than any service takes to end in order. */
const politeMs = 25_000;
const shownLogBytes = 4000;
const stillWithinMs = 1000;

/** A program that a test starts, stops, kills and freezes as it likes; it ends with the test's process. */
export interface ControlledProcess {
  /** Undefined while it does not run. */
  pid(): number | undefined;
  /** Resolves when it is ready; after a stop or a kill it starts anew with the same data and address. */
  start(): Promise<void>;
  /** As an operator ends it: SIGTERM, and SIGKILL if it does not listen. Says how it ended. */
  stop(): Promise<string>;
  /** As a crash ends it: SIGKILL. */
  kill(): Promise<void>;
  /** It stands still with its connections open, as in a long pause of the machine. */
  pause(): void;
  resume(): void;
  /** What it has written so far. */
  log(): string;
}

const running = new Set<RunningProgram>();
let guard: ReturnType<typeof startGuard> | undefined;

export function controlledProcess(program: Program): ControlledProcess {
  const logPath = join(temporaryFolder(), `${program.name}.log`);
  let current: RunningProgram | undefined;
  const log = (): string => readFileSync(logPath, "utf8");

  async function end(signals: readonly NodeJS.Signals[]): Promise<string> {
    const ending = current;
    if (ending === undefined) return "not running";
    for (const name of signals) ending.signal(name);
    const killing = setTimeout(() => ending.signal("SIGKILL"), politeMs);
    const how = await ending.ended;
    clearTimeout(killing);
    return how;
  }

  return {
    pid: () => current?.pid,
    log,
    start: async () => {
      if (current !== undefined) throw new Error(`${program.name} runs already.`);
      const output = openSync(logPath, "a+");
      const started = runProgram(program, output);
      closeSync(output);
      if (started.pid === undefined) throw new Error(await started.ended);
      current = started;
      watch(started);
      void started.ended.then(() => {
        current = undefined;
      });
      await untilReady(program, started, log);
    },
    // A process that stands still would not hear a SIGTERM.
    stop: async () => end(["SIGTERM", "SIGCONT"]),
    kill: async () => void (await end(["SIGKILL"])),
    pause: () => {
      current?.signal("SIGSTOP");
      if (current?.pid !== undefined) untilStill(current.pid);
    },
    resume: () => current?.signal("SIGCONT"),
  };
}

/** The signal takes effect a little later, thread by thread; where there is no /proc we hope. */
function untilStill(pid: number): void {
  const giveUpAt = performance.now() + stillWithinMs;
  const tasks = `/proc/${pid}/task`;
  const isStill = (task: string): boolean =>
    /\) [Tt] /.test(readFileSync(`${tasks}/${task}/stat`, "utf8"));
  while (existsSync(tasks) && performance.now() < giveUpAt) {
    if (readdirSync(tasks).every(isStill)) return;
  }
}

function watch(started: RunningProgram): void {
  const guarding = (guard ??= startGuard());
  const tell = (): void => guarding.watch([...running].map(({ pid }) => pid));
  running.add(started);
  tell();
  void started.ended.then(() => {
    running.delete(started);
    tell();
  });
}

async function untilReady(
  program: Program,
  started: RunningProgram,
  log: () => string,
): Promise<void> {
  const giveUpAt = performance.now() + readyWithinMs;
  const life = new AbortController();
  void started.ended.then(() => life.abort());
  while (!life.signal.aborted && performance.now() < giveUpAt) {
    if (await program.isReady()) return;
    await pause(lookEveryMs);
  }
  started.signal("SIGKILL");
  const how = await started.ended;
  throw new Error(`${program.name} did not get ready (${how}):\n${log().slice(-shownLogBytes)}`);
}
