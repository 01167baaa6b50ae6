import { resolve } from "node:path";
import { removeEnvironment, writeEnvironment, type Environment } from "./environment.ts";
import { lockFolder, type FolderLock } from "./folder-lock.ts";
import { createFolder, emptyFolder, folderAt, type Folder } from "./folder.ts";
import { endLeftovers } from "./leftovers.ts";
import { openLogFiles } from "./log-files.ts";
import { ensureNatsServer } from "./nats-server.ts";
import { apiPort } from "./ports.ts";
import { planPrograms } from "./plan.ts";
import { workspaceRoot } from "./programs.ts";
import { Refusal } from "./refusal.ts";
import { runPlan } from "./run-plan.ts";
import { secretsOf } from "./secrets.ts";
import { seedOnce } from "./seed.ts";

export interface LocalOptions {
  /** Where everything is kept; `.local` in the workspace by default. */
  readonly dir?: string | undefined;
  /** Of the API; 0 takes a free one. */
  readonly port: number;
  /** Throw away what the folder holds. */
  readonly fresh?: boolean;
  readonly logLevel?: string;
  /** One process for each service; one for all of them unless set. */
  readonly isProcessPerService?: boolean;
  readonly report?: (line: string) => void;
  readonly onLogLine?: (program: string, line: string) => void;
  /** Gives up a start that is under way. */
  readonly signal?: AbortSignal;
}

export interface LocalSystem {
  readonly environment: Environment;
  /** The folder it keeps everything in. */
  readonly dir: string;
  processes(): { name: string; pid: number | undefined }[];
  /** Resolves with the reason when the system cannot go on by itself. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** The whole system on this machine: up, ready and seeded when this resolves, gone when it rejects. */
export async function startLocalSystem(options: LocalOptions): Promise<LocalSystem> {
  const folder = folderAt(resolve(workspaceRoot, options.dir ?? ".local"));
  const lock = take(folder);
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

function take(folder: Folder): FolderLock {
  let lock: FolderLock | undefined;
  try {
    createFolder(folder);
    lock = lockFolder(folder.lock);
  } catch (error) {
    throw new Refusal(`${folder.path} cannot be used: ${String(error)}`);
  }
  if (lock !== undefined) return lock;
  throw new Refusal(`Malipo already runs on ${folder.path}; stop that one first.`);
}

async function startOn(
  folder: Folder,
  options: LocalOptions,
  undo: (() => void | Promise<void>)[],
): Promise<Pick<LocalSystem, "environment" | "processes" | "failed">> {
  const report = options.report ?? (() => undefined);
  removeEnvironment(folder);
  const port = await apiPort(options.port);
  const ended = await endLeftovers(folder.pids);
  if (ended.length > 0) report(`Ended what an earlier run left behind: ${ended.join(", ")}.`);
  if (options.fresh) emptyFolder(folder);
  createFolder(folder);
  const natsServer = await ensureNatsServer(workspaceRoot, report);
  const secrets = secretsOf(folder.secrets);
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
