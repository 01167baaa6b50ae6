import { createServer, type Server } from "node:net";
import { UserError } from "../terminal/user-error.ts";

/** Below the range from which systems take ports for outgoing connections, so that a port stays free while its server restarts. */
const lowest = 20_000;
const blocks = 300;
const blockSize = 40;
const tries = 200;

/** The next port that nobody was given, and where the block ends. */
let own = { next: 0, end: 0 };

/**
 * As many different ports as asked for, free at this moment, and none that is promised already. They
 * come from a block that this process holds until it ends: of several that start at the same time,
 * none is given what another has not opened yet.
 */
export async function freePorts(count: number, promised?: number): Promise<number[]> {
  const found: number[] = [];
  for (let attempt = 0; attempt < tries && found.length < count; attempt += 1) {
    if (own.next === own.end) own = await holdBlock();
    const port = own.next;
    own.next += 1;
    if (port !== promised && (await problemWith(port)) === undefined) found.push(port);
  }
  if (found.length < count) throw noPorts();
  return found;
}

/** Whoever listens on the first port of a block has all of it. */
async function holdBlock(): Promise<typeof own> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const first = lowest + blockSize * Math.floor(Math.random() * blocks);
    const server = createServer().unref();
    if ((await problemOf(server, first)) !== undefined) continue;
    return { next: first + 1, end: first + blockSize };
  }
  throw noPorts();
}

function noPorts(): Error {
  return new Error(`No free ports between ${lowest} and ${lowest + blocks * blockSize - 1}.`);
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("No free port.");
  return port;
}

/** The port the API is to have; any free one for 0. */
export async function claimApiPort(wanted: number): Promise<number> {
  if (wanted === 0) return freePort();
  const problem = await problemWith(wanted);
  if (problem === undefined) return wanted;
  throw new UserError(
    `Port ${wanted} ${problem}; choose another: npm start -- --port ${wanted + 10}`,
  );
}

async function problemWith(port: number): Promise<string | undefined> {
  const server = createServer();
  const problem = await problemOf(server, port);
  if (problem === undefined) await new Promise((resolve) => server.close(resolve));
  return problem;
}

/** Why the server cannot have the port; it listens if nothing is said. */
function problemOf(server: Server, port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("is taken by another program");
      else if (error.code === "EACCES") resolve("may not be used by this account");
      else reject(error);
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(undefined));
  });
}
