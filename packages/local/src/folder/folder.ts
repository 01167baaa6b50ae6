import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** All paths of one local system: data, logs, seed, secrets and addresses. */
export interface Folder {
  readonly path: string;
  readonly lock: string;
  readonly pids: string;
  readonly logs: string;
  readonly natsStore: string;
  readonly natsConfig: string;
  readonly mongoStore: string;
  readonly secrets: string;
  readonly seed: string;
  readonly environment: string;
}

const privateMode = 0o700;
/** Set on folders such as /tmp. */
const stickyBit = 0o1000;

export function folderAt(path: string): Folder {
  return {
    path,
    lock: join(path, "lock"),
    pids: join(path, "pids"),
    logs: join(path, "logs"),
    natsStore: join(path, "nats"),
    natsConfig: join(path, "nats.conf"),
    mongoStore: join(path, "mongo"),
    secrets: join(path, "secrets.json"),
    seed: join(path, "seed.json"),
    environment: join(path, "environment.json"),
  };
}

/** Creates the folder, and closes an existing one to other users. */
export function createFolder(folder: Folder): void {
  mkdirSync(folder.path, { recursive: true, mode: privateMode });
  if ((statSync(folder.path).mode & stickyBit) !== 0) {
    throw new Error("the folder is shared with other users");
  }
  for (const path of [folder.path, folder.pids, folder.logs, folder.natsStore, folder.mongoStore]) {
    mkdirSync(path, { recursive: true, mode: privateMode });
    // Another user who may write in the folder could replace the secrets. The mode of mkdir applies
    // to new folders only.
    if ((statSync(path).mode & 0o777) !== privateMode) chmodSync(path, privateMode);
  }
}

/** Deletes only files that a local system created, because the user may keep others in the folder. */
export function emptyFolder(folder: Folder): void {
  const { logs, natsStore, natsConfig, mongoStore, secrets, seed, environment } = folder;
  for (const path of [logs, natsStore, natsConfig, mongoStore, secrets, seed, environment]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Replaces the file atomically. Only its owner can read it. */
export function writePrivateJson(path: string, content: unknown): void {
  const temporary = `${path}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
