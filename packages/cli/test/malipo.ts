import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { temporaryFolder, type UsedSystem } from "@malipo/testing";

export const bin = fileURLToPath(new URL("../bin/malipo.mjs", import.meta.url));

export interface CompletedRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where the command is started. */
export interface Place {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

const timeoutMs = 30_000;
/** A folder outside every workspace. */
const emptyFolder = temporaryFolder();

/** Runs the real command in a new process. Without a place it finds no system. */
export async function runMalipo(args: readonly string[], place: Place = {}): Promise<CompletedRun> {
  return startMalipo(args, place, timeoutMs).ended;
}

/** A command that runs until it is interrupted. */
export interface Running {
  /** The output so far. */
  readonly texts: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<CompletedRun>;
  /** Sends SIGINT, as Ctrl-C does. */
  interrupt(): void;
}

export function startMalipo(args: readonly string[], place: Place = {}, timeout?: number): Running {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: place.folder ?? emptyFolder,
    env: { PATH, ...place.env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
  });
  const texts = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.stderr += text));
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return {
    texts,
    ended: closed.then((code) => ({ code, ...texts })),
    interrupt: () => void child.kill("SIGINT"),
  };
}

export function environmentOf(system: UsedSystem): Record<string, string> {
  const { operatorUrl, operatorToken } = system.gateway();
  return { MALIPO_OPERATOR_URL: operatorUrl, MALIPO_OPERATOR_TOKEN: operatorToken };
}

/** Runs commands against the operator API of a system. */
export function createOperator(system: UsedSystem) {
  const run = async (...args: readonly string[]) => runMalipo(args, { env: environmentOf(system) });

  /** Runs a command with --json. Throws when it does not succeed. */
  const json = async (...args: readonly string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await run(...args, "--json");
    if (code !== 0) throw new Error(`malipo ${args.join(" ")} ended in ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };

  return {
    run,
    record: async (...args: readonly string[]) => (await json(...args)) as Record<string, unknown>,
    list: async (...args: readonly string[]) => (await json(...args)) as Record<string, unknown>[],
  };
}
