import { createServer, type Server } from "node:net";
import { UserError } from "../terminal/user-error.ts";

/**
 * Below the range that operating systems use for outgoing connections, so that a port stays free
 * while its server restarts.
 */
const lowestPort = 20_000;
const blockCount = 300;
const blockSize = 40;
const triesMax = 200;

/** The next unused port of our block, and the end of the block. */
let ownBlock = { next: 0, end: 0 };

/**
 * Returns `count` different free ports, without the reserved one. They come from a block that this
 * process holds until it ends. So processes that start together never receive the same port, even
 * if no server has opened it yet.
 */
export async function freePorts(count: number, reserved?: number): Promise<number[]> {
  const found: number[] = [];
  for (let attempt = 0; attempt < triesMax && found.length < count; attempt += 1) {
    if (ownBlock.next === ownBlock.end) ownBlock = await holdBlock();
    const port = ownBlock.next;
    ownBlock.next += 1;
    if (port !== reserved && (await checkPort(port)) === undefined) found.push(port);
  }
  if (found.length < count) throw noPorts();
  return found;
}

/** The process that listens on the first port of a block owns the block. */
async function holdBlock(): Promise<typeof ownBlock> {
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const first = lowestPort + blockSize * Math.floor(Math.random() * blockCount);
    const server = createServer().unref();
    if ((await tryToListen(server, first)) !== undefined) continue;
    return { next: first + 1, end: first + blockSize };
  }
  throw noPorts();
}

function noPorts(): Error {
  return new Error(
    `No free ports between ${lowestPort} and ${lowestPort + blockCount * blockSize - 1}.`,
  );
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("No free port.");
  return port;
}

/** Checks that the API can have the requested port; returns a free port for 0. */
export async function claimApiPort(requested: number): Promise<number> {
  if (requested === 0) return freePort();
  const problem = await checkPort(requested);
  if (problem === undefined) return requested;
  throw new UserError(
    `Port ${requested} ${problem}; choose another: npm start -- --port ${requested + 10}`,
  );
}

async function checkPort(port: number): Promise<string | undefined> {
  const server = createServer();
  const problem = await tryToListen(server, port);
  if (problem === undefined) await new Promise((resolve) => server.close(resolve));
  return problem;
}

/** Returns why the server cannot listen on the port, or undefined when it listens. */
function tryToListen(server: Server, port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("is taken by another program");
      else if (error.code === "EACCES") resolve("needs more permissions than this account has");
      else reject(error);
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(undefined));
  });
}
