/** A business's own system in the benchmark: takes everything, counts it, and says how late it was. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { announceReady } from "../ready.ts";

let taken = 0;
let waitsMs: number[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const seen = { taken, waitsMs };
    if (request.url === "/reset") [taken, waitsMs] = [0, []];
    response.end(JSON.stringify(seen));
  } else if (request.url === "/timed") {
    void readBody(request).then((body) => {
      const { created } = JSON.parse(body) as { created: string };
      waitsMs.push(Date.now() - Date.parse(created));
      response.end();
    });
  } else {
    request.resume();
    request.once("end", () => {
      taken += 1;
      response.end();
    });
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
announceReady({ port: (server.address() as AddressInfo).port });

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
