import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
  readonly url: string;
  /** How many webhooks came, by event type and record id: `invoice.paid 65f…`. */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** A business's own server, which receives webhooks and counts them. */
export async function startReceiver(): Promise<Receiver> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { type, event } = JSON.parse(Buffer.concat(chunks).toString());
      const key = `${type ?? event} ${String(request.headers["webhook-resource"])}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    counts,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
