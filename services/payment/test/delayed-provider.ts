import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll } from "vitest";

/** A provider whose phone rings at once, and whose answers to prompts a test can delay. */
export interface DelayedProvider {
  readonly url: string;
  /** Delays the answers to prompts from now on, until the returned function is called. */
  delayAnswers(): () => void;
}

export async function startDelayedProvider(upstream: string): Promise<DelayedProvider> {
  let delay = Promise.resolve();
  const server = createServer((request, response) => void forward(request, response));

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const body = method === "POST" ? await buffer(request) : null;
    const answer = await fetch(upstream + url, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
      body,
    });
    const text = await answer.text();
    if (url.includes("/stkpush/")) await delay;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayAnswers() {
      const gate = Promise.withResolvers<void>();
      delay = gate.promise;
      return gate.resolve;
    },
  };
}
