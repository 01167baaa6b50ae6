import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll } from "vitest";

/** A provider whose phone rings at once, and whose answer to a prompt a test holds back. */
export interface HeldProvider {
  readonly url: string;
  /** Answers to prompts wait from now on, until what this gives is called. */
  hold(): () => void;
}

export async function startHeldProvider(upstream: string): Promise<HeldProvider> {
  let held = Promise.resolve();
  const server = createServer((request, response) => void pass(request, response));

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const body = method === "POST" ? await buffer(request) : null;
    const answer = await fetch(upstream + url, {
      method,
      headers: { authorization: headers.authorization ?? "", "content-type": "application/json" },
      body,
    });
    const text = await answer.text();
    if (url.includes("/stkpush/")) await held;
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
    hold() {
      const gate = Promise.withResolvers<void>();
      held = gate.promise;
      return gate.resolve;
    },
  };
}
