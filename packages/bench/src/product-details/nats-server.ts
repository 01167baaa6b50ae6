import { ensureNatsServer, natsRuntime, workspaceRoot } from "@malipo/local";
import type { Part } from "../cpu.ts";
import type { Processes } from "../processes.ts";

const readyTimeoutMs = 5_000;

/** A separate nats-server for the baselines, with the same settings as in `npm start`. */
export async function startNats(
  processes: Processes,
  onProgress: (text: string) => void,
): Promise<{ readonly url: string; readonly part: Part }> {
  const server = processes.start("nats-server", {
    command: await ensureNatsServer(workspaceRoot, onProgress),
    args: ["--addr", "127.0.0.1", "--port", "-1"],
    env: natsRuntime,
  });
  const listening = /Listening for client connections on (127\.0\.0\.1:\d+)/;
  const line = await server.line((text) => listening.test(text), readyTimeoutMs);
  return { url: `nats://${listening.exec(line)?.[1]}`, part: { name: "nats", pid: server.pid } };
}
