import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
  readonly id: string;
}

type Answering = (received: Received, response: ServerResponse) => void;

/** A business's own system: an HTTP server that notes down what it gets and answers as it is told. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** What has come, however often. */
  readonly ids: ReadonlySet<string>;
  /** The most requests that were ever under way at once. */
  readonly mostAtOnce: () => number;
  /** How it answers from now on; 200 unless told otherwise. */
  answer(how: Answering | number): void;
  close(): Promise<void>;
}

export async function startReceiver(how: Answering | number = 200): Promise<Receiver> {
  const received: Received[] = [];
  const ids = new Set<string>();
  let answering = answeringOf(how);
  let atOnce = 0;
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    response.once("close", () => (atOnce -= 1));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers } = request;
      const id = String(headers["webhook-id"]);
      const one = { headers, body: Buffer.concat(chunks).toString(), atMs: performance.now(), id };
      received.push(one);
      ids.add(id);
      answering(one, response);
    });
    request.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    ids,
    mostAtOnce: () => mostAtOnce,
    answer: (next) => {
      answering = answeringOf(next);
    },
    close,
  };
}

function answeringOf(how: Answering | number): Answering {
  return typeof how === "number" ? (_, response) => response.writeHead(how).end() : how;
}
