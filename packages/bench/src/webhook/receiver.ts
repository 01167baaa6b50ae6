import { fileURLToPath } from "node:url";
import type { Processes } from "../processes.ts";
import { readReadyLine } from "../read-ready-line.ts";

const readyTimeoutMs = 10_000;

export type Receiver = {
  readonly url: string;
  readonly pid: number;
  /** Sets the counters to zero; resolves to their values before. */
  readonly reset: () => Promise<Received>;
  /** Resolves once that many requests have come since the last reset. */
  readonly waitFor: (count: number, withinMs: number) => Promise<Received>;
};

type Received = { readonly taken: number; readonly waitsMs: readonly number[] };

export async function startReceiver(processes: Processes): Promise<Receiver> {
  const server = processes.start("receiver", {
    command: process.execPath,
    args: [
      "--conditions=@malipo/source",
      fileURLToPath(new URL("receiver-server.ts", import.meta.url)),
    ],
  });
  const { port } = await readReadyLine(server, readyTimeoutMs);
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string, signal: AbortSignal | null = null): Promise<Received> =>
    (await (await fetch(url + path, { signal })).json()) as Received;
  return {
    url,
    pid: server.pid,
    reset: () => ask("/reset"),
    waitFor: async (count, withinMs) => {
      try {
        return await ask(`/wait-for/${count}`, AbortSignal.timeout(withinMs));
      } catch (error) {
        throw new Error(`the receiver has not received ${count} requests within ${withinMs} ms`, {
          cause: error,
        });
      }
    },
  };
}
