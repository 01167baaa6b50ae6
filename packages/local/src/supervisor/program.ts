import { spawn } from "node:child_process";
import { join } from "node:path";
import { workspaceRoot } from "../workspace.ts";

/** Sources that were stripped and compiled once: a service then starts faster, and far smaller. */
const compileCache = join(workspaceRoot, "node_modules/.cache/compiled");

/** What to run, and how to tell that it is ready. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isReady: () => Promise<boolean>;
}

export interface RunningProgram {
  readonly pid: number;
  /** How it ended, in words: "exit code 1", "SIGKILL". */
  readonly ended: Promise<string>;
  signal(name: NodeJS.Signals): void;
}

/** Undefined pid means that it could not be started at all; `ended` then says why. */
export function runProgram(
  program: Omit<Program, "isReady">,
  output: number | "ignore",
): RunningProgram | { readonly pid: undefined; readonly ended: Promise<string> } {
  const child = spawn(program.command, program.args, {
    stdio: ["ignore", output, output],
    // A session of its own, so that a Ctrl-C reaches the supervisor alone and it can stop things in order.
    detached: true,
    env: { NODE_COMPILE_CACHE: compileCache, ...inherited(), ...program.env },
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const { pid } = child;
  if (pid === undefined) return { pid, ended };
  return { pid, ended, signal: (name) => void child.kill(name) };
}

/** The rest of the environment stays outside: a stray PORT in someone's shell must not move a service. */
function inherited(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "USER"]) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
