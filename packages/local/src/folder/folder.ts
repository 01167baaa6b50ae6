import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where one local system keeps everything: data, logs, what it seeded, and how to reach it. */
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

export function createFolder(folder: Folder): void {
  for (const path of [folder.path, folder.pids, folder.logs, folder.natsStore, folder.mongoStore]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}

/** Removes only what a local system made, for the folder may be anybody's. */
export function emptyFolder(folder: Folder): void {
  const { logs, natsStore, natsConfig, mongoStore, secrets, seed, environment } = folder;
  for (const path of [logs, natsStore, natsConfig, mongoStore, secrets, seed, environment]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** A reader sees the whole file or none, and only its owner sees it at all. */
export function writePrivateJson(path: string, content: unknown): void {
  const beside = `${path}.${process.pid}.tmp`;
  rmSync(beside, { force: true });
  writeFileSync(beside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, path);
}
