import type { Started } from "./processes.ts";

const lineStart = '{"ready":true';

/** The facts a server of the benchmark announces when it is ready. */
export async function readyFacts(
  server: Started,
  timeoutMs: number,
): Promise<{ readonly port?: number }> {
  const line = await server.line((text) => text.startsWith(lineStart), timeoutMs);
  return JSON.parse(line) as { port?: number };
}
