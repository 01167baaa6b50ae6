import type { IncomingMessage } from "node:http";

/**
 * Returns null when the body is longer than `maxBytes`. The rest of a long body is read and dropped,
 * because a server that stops reading cannot send its response. The server's `requestTimeout` ends a
 * body that never ends.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return bytes <= maxBytes ? Buffer.concat(chunks).toString() : null;
}
