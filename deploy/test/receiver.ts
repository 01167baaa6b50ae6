import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
  readonly url: string;
  /** How often each message came, by its type and the record it tells of. */
  readonly told: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** A business's own system, which takes webhooks and counts them. */
export async function startReceiver(): Promise<Receiver> {
  const told = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { type, event } = JSON.parse(Buffer.concat(chunks).toString());
      const key = `${type ?? event} ${String(request.headers["webhook-resource"])}`;
      told.set(key, (told.get(key) ?? 0) + 1);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    told,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
