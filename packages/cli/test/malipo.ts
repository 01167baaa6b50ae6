import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { temporaryFolder, type UsedSystem } from "@malipo/testing";

export const bin = fileURLToPath(new URL("../bin/malipo.mjs", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

const patienceMs = 30_000;
const elsewhere = temporaryFolder();

/** The real command in a process of its own; away from any system unless a place is given. */
export async function malipo(args: readonly string[], place: Place = {}): Promise<Ended> {
  return startMalipo(args, place, patienceMs).ended;
}

/** One that goes on until somebody ends it. */
export interface Running {
  /** What it has written so far. */
  readonly texts: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<Ended>;
  /** Ctrl-C. */
  interrupt(): void;
}

export function startMalipo(args: readonly string[], place: Place = {}, timeout?: number): Running {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: place.folder ?? elsewhere,
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

/** An operator of that system: what they type, and what comes of it. */
export function operatorOf(system: UsedSystem) {
  const run = async (...args: readonly string[]) => malipo(args, { env: environmentOf(system) });

  /** Must succeed and say nothing but JSON. */
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
