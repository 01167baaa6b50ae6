/** A business's own system in the benchmark: takes everything, counts it, and says how late it was. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { announceReady } from "../announce-ready.ts";

let taken = 0;
let waitsMs: number[] = [];
/** Who waits until so many have come. */
let waiting: { readonly count: number; readonly answer: () => void }[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const answer = () => response.end(JSON.stringify({ taken, waitsMs }));
    const count = /^\/when\/(\d+)$/.exec(request.url ?? "")?.[1];
    if (count === undefined) {
      answer();
      [taken, waitsMs] = [0, []];
    } else {
      waiting.push({ count: Number(count), answer });
      tell();
    }
  } else if (request.url === "/timed") {
    void readBody(request).then((body) => {
      const { created } = JSON.parse(body) as { created: string };
      waitsMs.push(Date.now() - Date.parse(created));
      response.end();
      tell();
    });
  } else {
    request.resume();
    request.once("end", () => {
      taken += 1;
      response.end();
      tell();
    });
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
announceReady({ port: (server.address() as AddressInfo).port });

/** So nobody has to ask again and again, which would cost what is being measured. */
function tell(): void {
  if (waiting.length === 0) return;
  const enough = waiting.filter(({ count }) => taken + waitsMs.length >= count);
  if (enough.length === 0) return;
  waiting = waiting.filter((one) => !enough.includes(one));
  for (const { answer } of enough) answer();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
