import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const probeIntervalMs = 50;

export interface Balancer {
  readonly url: string;
  /** Sends requests to these backends from now on. Resolves when at least one of them is ready. */
  use(backends: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A load balancer in front of the gateways: it sends requests in turn to the backends that are ready. */
export async function startBalancer(): Promise<Balancer> {
  let readyBackends: string[] = [];
  let requests = 0;
  const closing = new AbortController();
  const server = createServer((received, response) => {
    const backend = readyBackends[(requests += 1) % readyBackends.length];
    const { method, headers, url = "" } = received;
    const forwarded = request(`${backend}${url}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", (error) => response.writeHead(502).end(`the balancer: ${error.message}`));
    received.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  async function probe(backends: readonly string[]): Promise<void> {
    while (!closing.signal.aborted) {
      const answers = await Promise.all(backends.map(isReady));
      readyBackends = backends.filter((_, index) => answers[index]);
      await pause(probeIntervalMs);
    }
  }
  let probing: Promise<void> = Promise.resolve();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use: async (backends) => {
      probing = probe(backends);
      while (readyBackends.length === 0) await pause(probeIntervalMs);
    },
    close: async () => {
      closing.abort();
      await probing;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
}
