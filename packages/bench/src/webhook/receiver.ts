import { fileURLToPath } from "node:url";
import type { Processes } from "../processes.ts";
import { readyFacts } from "../read-ready-line.ts";

const readyTimeoutMs = 10_000;

export type Receiver = {
  readonly url: string;
  readonly pid: number;
  /** What it has seen since it was last asked so. */
  readonly reset: () => Promise<Seen>;
  /** Once so many have come since then. */
  readonly when: (count: number, withinMs: number) => Promise<Seen>;
};

type Seen = { readonly taken: number; readonly waitsMs: readonly number[] };

export async function startReceiver(processes: Processes): Promise<Receiver> {
  const server = processes.start("receiver", {
    command: process.execPath,
    args: [
      "--conditions=@malipo/source",
      fileURLToPath(new URL("receiver-server.ts", import.meta.url)),
    ],
  });
  const { port } = await readyFacts(server, readyTimeoutMs);
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string, signal: AbortSignal | null = null): Promise<Seen> =>
    (await (await fetch(url + path, { signal })).json()) as Seen;
  return {
    url,
    pid: server.pid,
    reset: () => ask("/reset"),
    when: async (count, withinMs) => {
      try {
        return await ask(`/when/${count}`, AbortSignal.timeout(withinMs));
      } catch (error) {
        throw new Error(`the receiver has not seen ${count} in time`, { cause: error });
      }
    },
  };
}
