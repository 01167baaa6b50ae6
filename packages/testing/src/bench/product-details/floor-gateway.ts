/** The floor: the least a Node process can do to take an HTTP request over NATS and back. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@nats-io/transport-node";
import { announceReady } from "../ready.ts";
import { productPath, requestTimeoutMs } from "./product-request.ts";

const [servers = "", subject = ""] = process.argv.slice(2);
const connection = await connect({ servers, noAsyncTraces: true });

const server = createServer((request, response) => {
  const url = request.url ?? "";
  if (request.method !== "GET" || !url.startsWith(productPath)) {
    response.writeHead(404).end();
    return;
  }
  connection.request(subject, url.slice(productPath.length), { timeout: requestTimeoutMs }).then(
    ({ data }) =>
      response
        .writeHead(200, {
          "content-type": "application/json; charset=utf-8",
          "content-length": data.length,
        })
        .end(data),
    () => response.writeHead(503).end(),
  );
});
server.listen(0, "127.0.0.1", () => {
  announceReady({ port: (server.address() as AddressInfo).port });
});
