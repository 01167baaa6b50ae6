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

type Answerer = (received: Received, response: ServerResponse) => void;

/** The system of a business: an HTTP server that collects what it gets and answers as `answer` says. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** The ids of all events received, each once. */
  readonly ids: ReadonlySet<string>;
  /** The highest number of requests that were under way at once. */
  readonly maxConcurrent: () => number;
  /** Sets the answer from now on; 200 by default. */
  answer(how: Answerer | number): void;
  close(): Promise<void>;
}

export async function startReceiver(how: Answerer | number = 200): Promise<Receiver> {
  const received: Received[] = [];
  const ids = new Set<string>();
  let answerer = answererOf(how);
  let concurrent = 0;
  let maxConcurrent = 0;
  const server = createServer((request, response) => {
    concurrent += 1;
    maxConcurrent = Math.max(maxConcurrent, concurrent);
    response.once("close", () => (concurrent -= 1));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers } = request;
      const id = String(headers["webhook-id"]);
      const one = { headers, body: Buffer.concat(chunks).toString(), atMs: performance.now(), id };
      received.push(one);
      ids.add(id);
      answerer(one, response);
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
    maxConcurrent: () => maxConcurrent,
    answer: (next) => {
      answerer = answererOf(next);
    },
    close,
  };
}

function answererOf(how: Answerer | number): Answerer {
  return typeof how === "number" ? (_, response) => response.writeHead(how).end() : how;
}
