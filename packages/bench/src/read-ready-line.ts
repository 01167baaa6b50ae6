import type { StartedProcess } from "./processes.ts";

const lineStart = '{"ready":true';

/** Reads the line that a server of the benchmark prints when it is ready: see announceReady. */
export async function readReadyLine(
  server: StartedProcess,
  timeoutMs: number,
): Promise<{ readonly port?: number }> {
  const line = await server.line((text) => text.startsWith(lineStart), timeoutMs);
  return JSON.parse(line) as { port?: number };
}
