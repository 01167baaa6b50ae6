/**
 * The floor: the least that a Node process can do to forward an HTTP request over NATS. With the
 * argument "batch" it sends the requests of one event-loop turn in one write, which is the fastest
 * way that we know.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@nats-io/transport-node";
import { announceReady } from "../announce-ready.ts";
import { productPath, requestTimeoutMs } from "./product-request.ts";

const [servers = "", subject = "", mode = ""] = process.argv.slice(2);
const connection = await connect({ servers, noAsyncTraces: true });

function ask(id: string, response: ServerResponse): void {
  connection.request(subject, id, { timeout: requestTimeoutMs }).then(
    ({ data }) =>
      response
        .writeHead(200, {
          "content-type": "application/json; charset=utf-8",
          "content-length": data.length,
        })
        .end(data),
    () => response.writeHead(503).end(),
  );
}

let waiting: [string, ServerResponse][] = [];
function askAll(): void {
  const all = waiting;
  waiting = [];
  for (const [id, response] of all) ask(id, response);
}
function askInBatches(id: string, response: ServerResponse): void {
  if (waiting.push([id, response]) === 1) setImmediate(askAll);
}

const askByMode = mode === "batch" ? askInBatches : ask;
const server = createServer((request, response) => {
  const url = request.url ?? "";
  if (request.method !== "GET" || !url.startsWith(productPath)) {
    response.writeHead(404).end();
    return;
  }
  askByMode(url.slice(productPath.length), response);
});
server.listen(0, "127.0.0.1", () => {
  announceReady({ port: (server.address() as AddressInfo).port });
});
