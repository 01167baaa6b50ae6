import { resolve } from "node:path";
import { removeEnvironment, writeEnvironment, type Environment } from "./folder/environment.ts";
import { lockFolder, type FolderLock } from "./folder/folder-lock.ts";
import { createFolder, emptyFolder, folderAt, type Folder } from "./folder/folder.ts";
import { endLeftovers } from "./supervisor/leftovers.ts";
import { openLogFiles } from "./supervisor/log-files.ts";
import { ensureNatsServer } from "./nats/nats-server.ts";
import { claimApiPort } from "./supervisor/ports.ts";
import { planPrograms } from "./plan.ts";
import { workspaceRoot } from "./workspace.ts";
import { UserError } from "./terminal/user-error.ts";
import { runPlan } from "./run-plan.ts";
import { loadSecrets } from "./folder/secrets.ts";
import { seedOnce } from "./seed/seed.ts";

export interface LocalOptions {
  /** The folder for data, logs and addresses; by default `.local` in the workspace. */
  readonly dir?: string | undefined;
  /** The port of the API; 0 means any free port. */
  readonly port: number;
  /** Deletes the data of the folder first. */
  readonly fresh?: boolean;
  readonly logLevel?: string;
  /** One process for each service; one for all of them unless set. */
  readonly isProcessPerService?: boolean;
  readonly report?: (line: string) => void;
  readonly onLogLine?: (program: string, line: string) => void;
  /** Aborts a start that is not finished. */
  readonly signal?: AbortSignal;
}

export interface LocalSystem {
  readonly environment: Environment;
  /** The folder with data, logs and addresses. */
  readonly dir: string;
  processes(): { name: string; pid: number | undefined }[];
  /** Resolves with the reason when a program was given up. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the whole system. When it resolves, all is ready and seeded; when it rejects, all is stopped. */
export async function startLocalSystem(options: LocalOptions): Promise<LocalSystem> {
  const folder = folderAt(resolve(workspaceRoot, options.dir ?? ".local"));
  const lock = lockOrRefuse(folder);
  const undo: (() => void | Promise<void>)[] = [() => lock.release()];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    return { ...(await startOn(folder, options, undo)), dir: folder.path, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function lockOrRefuse(folder: Folder): FolderLock {
  let lock: FolderLock | undefined;
  try {
    createFolder(folder);
    lock = lockFolder(folder.lock);
  } catch (error) {
    throw new UserError(`${folder.path} cannot be used: ${String(error)}`);
  }
  if (lock !== undefined) return lock;
  throw new UserError(`Malipo already runs on ${folder.path}; stop that one first.`);
}

async function startOn(
  folder: Folder,
  options: LocalOptions,
  undo: (() => void | Promise<void>)[],
): Promise<Pick<LocalSystem, "environment" | "processes" | "failed">> {
  const report = options.report ?? (() => undefined);
  removeEnvironment(folder);
  const port = await claimApiPort(options.port);
  const ended = await endLeftovers(folder.pids);
  if (ended.length > 0) report(`Ended processes of an earlier run: ${ended.join(", ")}.`);
  if (options.fresh) emptyFolder(folder);
  createFolder(folder);
  const natsServer = await ensureNatsServer(workspaceRoot, report);
  const secrets = loadSecrets(folder.secrets);
  const logLevel = options.logLevel ?? "info";
  const plan = await planPrograms({
    folder,
    natsServer,
    apiPort: port,
    secrets,
    logLevel,
    isProcessPerService: options.isProcessPerService ?? false,
  });
  const logs = openLogFiles(folder.logs, options.onLogLine ?? (() => undefined));
  undo.push(() => logs.close());
  const running = runPlan(plan, folder, logs, report);
  undo.push(() => running.stop());
  await running.ready(options.signal);
  const apiurl = `http://127.0.0.1:${port}`;
  const operatorurl = `http://127.0.0.1:${plan.addresses.operatorPort}`;
  const seeded = await seedOnce(folder.seed, {
    apiurl,
    operatorurl,
    operatorToken: secrets.operatortoken,
  });
  const environment: Environment = {
    apiurl,
    ...seeded,
    operatorurl,
    operatortoken: secrets.operatortoken,
    simulatorurl: plan.addresses.simulatorUrl,
    mongodburi: plan.addresses.mongodbUri,
    natsurl: plan.addresses.natsUrl,
    natsuser: plan.natsOwner.user,
    natspassword: plan.natsOwner.password,
  };
  undo.push(() => removeEnvironment(folder));
  writeEnvironment(folder, environment);
  return { environment, processes: () => running.processes(), failed: running.failed };
}
