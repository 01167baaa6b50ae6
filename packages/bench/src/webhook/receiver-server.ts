/** The receiver of webhooks in the benchmark: answers 200, counts requests, and records their delay. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { announceReady } from "../announce-ready.ts";

let taken = 0;
let waitsMs: number[] = [];
/** Clients that wait until that many requests have come. */
let waiting: { readonly count: number; readonly answer: () => void }[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    const answer = () => response.end(JSON.stringify({ taken, waitsMs }));
    const count = /^\/wait-for\/(\d+)$/.exec(request.url ?? "")?.[1];
    if (count === undefined) {
      answer();
      [taken, waitsMs] = [0, []];
    } else {
      waiting.push({ count: Number(count), answer });
      answerWaiting();
    }
  } else if (request.url === "/timed") {
    void readBody(request).then((body) => {
      const { created } = JSON.parse(body) as { created: string };
      waitsMs.push(Date.now() - Date.parse(created));
      response.end();
      answerWaiting();
    });
  } else {
    request.resume();
    request.once("end", () => {
      taken += 1;
      response.end();
      answerWaiting();
    });
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
announceReady({ port: (server.address() as AddressInfo).port });

/** The benchmark waits for one answer instead of polling, because polling would cost measured CPU. */
function answerWaiting(): void {
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
