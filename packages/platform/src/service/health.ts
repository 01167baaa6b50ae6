import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describeError } from "../logging/index.ts";
import type { Metrics } from "../metrics/index.ts";

export interface Health {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Alive means that the event loop turns. Ready means started, not stopping and connected to NATS. The
 * state of the store does not count: all replicas share it, and all would become unready at once.
 */
export async function serveHealth(
  address: { host: string; port: number },
  { answerScrape }: Pick<Metrics, "answerScrape">,
  isReady: () => boolean,
): Promise<Health> {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string) =>
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
    switch (request.url) {
      case "/livez":
        return answer(200, "alive\n");
      case "/readyz":
        return isReady() ? answer(200, "ready\n") : answer(503, "not ready\n");
      case "/metrics":
        return void answerScrape(request, response).catch((error: unknown) =>
          answer(500, `${describeError(error).message}\n`),
        );
      default:
        return answer(404, "not found\n");
    }
  });
  await listen(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function listen(server: Server, { host, port }: { host: string; port: number }) {
  server.listen(port, host);
  await once(server, "listening");
}
