import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const lookEveryMs = 50;

export interface Balancer {
  readonly url: string;
  /** Ready when at least one of them is. */
  use(backends: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** What stands in front of the gateways: every request goes to one that says it is ready. */
export async function startBalancer(): Promise<Balancer> {
  let ready: string[] = [];
  let next = 0;
  const ending = new AbortController();
  const server = createServer((received, response) => {
    const backend = ready[(next += 1) % ready.length];
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

  async function watch(backends: readonly string[]): Promise<void> {
    while (!ending.signal.aborted) {
      const answers = await Promise.all(backends.map(isReady));
      ready = backends.filter((_, index) => answers[index]);
      await pause(lookEveryMs);
    }
  }
  let watching: Promise<void> = Promise.resolve();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use: async (backends) => {
      watching = watch(backends);
      while (ready.length === 0) await pause(lookEveryMs);
    },
    close: async () => {
      ending.abort();
      await watching;
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
