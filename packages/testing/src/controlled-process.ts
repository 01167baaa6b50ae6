import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runProgram, startGuard, type Program, type RunningProgram } from "@malipo/local";
import { temporaryFolder } from "./temporary-folder.ts";

const pollMs = 10;
const readyTimeoutMs = 50_000;
/** Longer than any service takes to end in order. */
const stopTimeoutMs = 25_000;
const shownLogBytes = 4000;
const freezeTimeoutMs = 1000;

/** A program that a test starts, stops, kills and freezes. It ends at the latest with the test's process. */
export interface ControlledProcess {
  /** Undefined while it does not run. */
  pid(): number | undefined;
  /** Resolves when it is ready. After a stop or a kill it starts again with the same data and address. */
  start(): Promise<void>;
  /** Ends it as an operator does: SIGTERM, then SIGKILL after 25 s. Resolves to how it ended. */
  stop(): Promise<string>;
  /** Ends it as a crash does: SIGKILL. */
  kill(): Promise<void>;
  /** Freezes it with its connections open (SIGSTOP), as a long pause of the machine does. */
  pause(): void;
  resume(): void;
  /** Its output so far, of all starts. */
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
    const killing = setTimeout(() => ending.signal("SIGKILL"), stopTimeoutMs);
    const how = await ending.ended;
    clearTimeout(killing);
    return how;
  }

  return {
    pid: () => current?.pid,
    log,
    start: async () => {
      if (current !== undefined) throw new Error(`${program.name} is running already.`);
      const output = openSync(logPath, "a+");
      const started = runProgram(program, output);
      closeSync(output);
      if (started.pid === undefined) throw new Error(await started.ended);
      current = started;
      watch(started);
      void started.ended.then(() => {
        current = undefined;
      });
      await waitUntilReady(program, started, log);
    },
    // A frozen process does not handle SIGTERM; SIGCONT wakes it.
    stop: async () => end(["SIGTERM", "SIGCONT"]),
    kill: async () => void (await end(["SIGKILL"])),
    pause: () => {
      current?.signal("SIGSTOP");
      if (current?.pid !== undefined) waitUntilFrozen(current.pid);
    },
    resume: () => current?.signal("SIGCONT"),
  };
}

/**
 * Waits until SIGSTOP has stopped every thread: it takes effect a little later, thread by thread. On a
 * machine without /proc this cannot be checked, and the function returns at once.
 */
function waitUntilFrozen(pid: number): void {
  const giveUpAt = performance.now() + freezeTimeoutMs;
  const tasks = `/proc/${pid}/task`;
  const isFrozen = (task: string): boolean =>
    /\) [Tt] /.test(readFileSync(`${tasks}/${task}/stat`, "utf8"));
  while (existsSync(tasks) && performance.now() < giveUpAt) {
    if (readdirSync(tasks).every(isFrozen)) return;
  }
}

function watch(started: RunningProgram): void {
  const guarding = (guard ??= startGuard());
  const updateGuard = (): void => guarding.watch([...running].map(({ pid }) => pid));
  running.add(started);
  updateGuard();
  void started.ended.then(() => {
    running.delete(started);
    updateGuard();
  });
}

async function waitUntilReady(
  program: Program,
  started: RunningProgram,
  log: () => string,
): Promise<void> {
  const giveUpAt = performance.now() + readyTimeoutMs;
  const ended = new AbortController();
  void started.ended.then(() => ended.abort());
  while (!ended.signal.aborted && performance.now() < giveUpAt) {
    if (await program.isReady()) return;
    await pause(pollMs);
  }
  started.signal("SIGKILL");
  const how = await started.ended;
  throw new Error(`${program.name} did not become ready (${how}):\n${log().slice(-shownLogBytes)}`);
}
