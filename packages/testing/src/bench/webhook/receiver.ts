import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Processes } from "../processes.ts";
import { readyFacts } from "../ready-line.ts";

const readyTimeoutMs = 10_000;
const lookEveryMs = 20;

export type Receiver = {
  readonly url: string;
  readonly pid: number;
  /** What it has seen since it was last asked so. */
  readonly reset: () => Promise<Seen>;
  readonly until: (isEnough: (seen: Seen) => boolean, withinMs: number) => Promise<Seen>;
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
  const ask = async (path: string): Promise<Seen> =>
    (await (await fetch(url + path)).json()) as Seen;
  return {
    url,
    pid: server.pid,
    reset: () => ask("/reset"),
    until: async (isEnough, withinMs) => {
      const giveUpAt = performance.now() + withinMs;
      for (;;) {
        const seen = await ask("/seen");
        if (isEnough(seen)) return seen;
        if (performance.now() > giveUpAt) {
          throw new Error(`the receiver saw only ${seen.taken + seen.waitsMs.length}`);
        }
        await sleep(lookEveryMs);
      }
    },
  };
}
