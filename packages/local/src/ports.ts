import { createServer } from "node:net";
import { Refusal } from "./refusal.ts";

/** Below the range from which systems take ports for outgoing connections, so that a port stays free while its server restarts. */
const lowest = 20_000;
const highest = 31_999;
const tries = 200;

/** As many different ports as asked for, free at this moment, and none that is promised already. */
export async function freePorts(count: number, promised?: number): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < tries && found.size < count; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1));
    if (port === promised || found.has(port)) continue;
    if ((await problemWith(port)) === undefined) found.add(port);
  }
  if (found.size < count) throw new Error(`No free ports between ${lowest} and ${highest}.`);
  return [...found];
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("No free port.");
  return port;
}

/** The port the API is to have; any free one for 0. */
export async function apiPort(wanted: number): Promise<number> {
  if (wanted === 0) return freePort();
  const problem = await problemWith(wanted);
  if (problem === undefined) return wanted;
  throw new Refusal(
    `Port ${wanted} ${problem}; choose another: npm start -- --port ${wanted + 10}`,
  );
}

function problemWith(port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("is taken by another program");
      else if (error.code === "EACCES") resolve("may not be used by this account");
      else reject(error);
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.close(() => resolve(undefined));
    });
  });
}
