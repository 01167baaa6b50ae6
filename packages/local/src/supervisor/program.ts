import { spawn } from "node:child_process";
import { join } from "node:path";
import { workspaceRoot } from "../workspace.ts";

/** Caches compiled sources. A service then starts faster and needs much less memory. */
const compileCache = join(workspaceRoot, "node_modules/.cache/compiled");

/** A program to run, and a check that it is ready. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isReady: () => Promise<boolean>;
}

export interface RunningProgram {
  readonly pid: number;
  /** Resolves with how the program ended: "exit code 1", "SIGKILL". */
  readonly ended: Promise<string>;
  signal(name: NodeJS.Signals): void;
}

/** `pid` is undefined if the program could not be started; `ended` then resolves with the reason. */
export function runProgram(
  program: Omit<Program, "isReady">,
  output: number | "ignore",
): RunningProgram | { readonly pid: undefined; readonly ended: Promise<string> } {
  const child = spawn(program.command, program.args, {
    stdio: ["ignore", output, output],
    // In its own session, so that Ctrl-C reaches only the supervisor, which stops programs in order.
    detached: true,
    env: { NODE_COMPILE_CACHE: compileCache, ...inheritedVariables(), ...program.env },
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const { pid } = child;
  if (pid === undefined) return { pid, ended };
  return { pid, ended, signal: (name) => void child.kill(name) };
}

/** Passes on only a few variables: a PORT set in a shell must not change the port of a service. */
function inheritedVariables(): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "USER"]) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
