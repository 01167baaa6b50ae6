/** A greedy client: sends the same requests again and again, many at once, until it is ended. */
import { Agent, request } from "node:http";
import { argv } from "node:process";

interface GreedyLoad {
  readonly clients: number;
  readonly method: string;
  readonly urls: readonly string[];
  readonly secret: string;
}

const { clients, method, urls, secret } = JSON.parse(argv[2] ?? "") as GreedyLoad;
const agent = new Agent({ keepAlive: true, maxSockets: clients });
const counts: Record<number, number> = {};
let next = 0;

async function send(): Promise<void> {
  const url = urls[next % urls.length] ?? "";
  // The gateway limits an address, and what is tested here is behind the gateway.
  const headers = { authorization: secret, "x-forwarded-for": `203.0.113.${next % 250}` };
  next += 1;
  const { promise, resolve } = Promise.withResolvers<number>();
  const sent = request(url, { agent, method, headers }, (answer) => {
    answer.resume();
    answer.once("close", () => resolve(answer.statusCode ?? 0));
  });
  sent.once("error", () => resolve(0));
  sent.end();
  const status = await promise;
  counts[status] = (counts[status] ?? 0) + 1;
}

process.on("message", () => process.send?.(counts));
await Promise.all(
  Array.from({ length: clients }, async () => {
    for (;;) await send();
  }),
);
