import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  ensureNatsServer,
  freePort,
  createTestNatsAccess,
  natsProgram,
  storeProgram,
  storeUri,
  workspaceRoot,
} from "@malipo/local";
import { controlledProcess, type ControlledProcess } from "./controlled-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface TestServer extends ControlledProcess {
  readonly url: string;
}

/**
 * Starts a nats-server with JetStream for the caller alone; the caller stops it. Services have the same
 * permissions there as in production. A connection without a password may do everything. The folder
 * keeps its streams.
 */
export async function startNatsServer(
  storeDir = join(temporaryFolder(), "store"),
): Promise<TestServer> {
  const folder = temporaryFolder();
  const port = await freePort();
  const program = natsProgram({
    server: await ensureNatsServer(workspaceRoot, () => undefined),
    port,
    storeDir,
    configFile: join(folder, "nats.conf"),
    access: createTestNatsAccess(),
  });
  return started(`nats://127.0.0.1:${port}`, controlledProcess(program));
}

/**
 * Starts an embedded store with the MongoDB wire for the caller alone; the caller stops it. It never
 * removes expired documents: a test with a clock in the past would lose its documents at once. With
 * STORE_FAULTS set, it injects faults at those rates.
 */
export async function startStore(): Promise<TestServer> {
  const dir = join(temporaryFolder(), "store");
  mkdirSync(dir);
  const port = await freePort();
  const program = storeProgram({ port, dir });
  const faults = process.env["STORE_FAULTS"];
  const args = ["--ttl-sweep", "0", ...(faults === undefined ? [] : ["--faults", faults])];
  return started(
    storeUri(port),
    controlledProcess({ ...program, args: [...program.args, ...args] }),
  );
}

async function started(url: string, control: ControlledProcess): Promise<TestServer> {
  await control.start();
  return { url, ...control };
}
