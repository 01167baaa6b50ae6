import type { IncomingMessage } from "node:http";

/**
 * Null when it is longer than allowed. It is read to its end all the same, for who stops reading
 * cannot answer: the server's own time limit for a request ends what does not end by itself.
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
