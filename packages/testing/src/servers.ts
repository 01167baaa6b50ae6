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
 * A nats-server with JetStream of the caller's own; `stop` it when done. Services have there the
 * permissions that they have anywhere; whoever shows no password may do everything. Its streams are
 * kept in the folder.
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
 * A store of the caller's own behind the MongoDB wire; `stop` it when done. It removes nothing by
 * itself: what a test dates by a clock of its own would be long past its time. With STORE_FAULTS set
 * it misbehaves at those rates.
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
