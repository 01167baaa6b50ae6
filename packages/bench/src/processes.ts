import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGuard } from "@malipo/local";
import { processTree } from "./process-usage.ts";

const stopTimeoutMs = 8_000;
const guardTimeoutMs = 1_000;
const shownChars = 2_000;
const keptChars = 100_000;

type StartOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};

export type StartedProcess = {
  readonly pid: number;
  readonly isRunning: () => boolean;
  /** Resolves to the first printed line that is accepted. */
  readonly line: (accepts: (line: string) => boolean, timeoutMs: number) => Promise<string>;
  /** Resolves to everything it printed, once it has ended with code 0. */
  readonly output: (timeoutMs: number) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Every process and folder of a run: `end` removes them, and a guard does when the run is killed. */
export type Processes = {
  readonly start: (name: string, options: StartOptions) => StartedProcess;
  readonly temporaryFolder: () => Promise<string>;
  readonly end: () => Promise<void>;
};

export function createProcesses(): Processes {
  const started: StartedProcess[] = [];
  const folders: string[] = [];
  const guard = startGuard();
  let isEnding = false;
  return {
    start(name, options) {
      if (isEnding) throw new Error(`${name} is not started any more`);
      const child = startProcess(name, options);
      started.push(child);
      guard.watch(started.filter(({ isRunning }) => isRunning()).map(({ pid }) => pid));
      return child;
    },
    async temporaryFolder() {
      const folder = await mkdtemp(join(tmpdir(), "malipo-bench-"));
      folders.push(folder);
      return folder;
    },
    async end() {
      isEnding = true;
      await Promise.all(started.map((child) => child.stop()));
      await within(guardTimeoutMs, guard.close());
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

function startProcess(name: string, { command, args, cwd, env }: StartOptions): StartedProcess {
  // In a session of its own, the child does not get the terminal's Ctrl-C: the benchmark gets it, and
  // then ends its processes in order.
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-keptChars);
      child.emit("printed");
    });
  }
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("close", (code, signal) => resolve(`ended with ${signal ?? `code ${code ?? "?"}`}`));
  });
  const failure = (what: string): Error =>
    new Error(`${name} ${what}\n${printed.slice(-shownChars)}`.trim());

  return {
    pid: child.pid ?? 0,
    isRunning: () => isRunning(child),
    line: (accepts, timeoutMs) =>
      new Promise((resolve, reject) => {
        const findLine = (): void => {
          const line = printed.split("\n").slice(0, -1).find(accepts);
          if (line !== undefined) settle(() => resolve(line));
        };
        const settle = (finish: () => void): void => {
          clearTimeout(timer);
          child.off("printed", findLine);
          finish();
        };
        const timer = setTimeout(
          () => settle(() => reject(failure(`was not ready within ${timeoutMs / 1000} s`))),
          timeoutMs,
        );
        child.on("printed", findLine);
        void ended.then((how) => settle(() => reject(failure(how))));
        findLine();
      }),
    async output(timeoutMs) {
      const how = await within(timeoutMs, ended);
      if (how === undefined) throw failure(`did not end within ${timeoutMs / 1000} s`);
      if (child.exitCode !== 0) throw failure(how);
      return printed;
    },
    stop: () => stopProcess(child),
  };
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || !isRunning(child)) return;
  const tree = await processTree(child.pid);
  child.kill("SIGTERM");
  await within(stopTimeoutMs, once(child, "exit"));
  // Its children should have ended with it; the rest must not outlive the benchmark.
  for (const pid of tree) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has ended already.
    }
  }
}

async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
