import { DatabaseSync } from "node:sqlite";

const sqliteBusy = 5;

export interface FolderLock {
  release(): void;
}

/**
 * Holds a folder for this process, or says (undefined) that another process holds it. An SQLite
 * file, because the operating system lets go of its lock however the holder dies, which a file
 * with a process id in it cannot promise.
 */
export function lockFolder(path: string): FolderLock | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) {
      return undefined;
    }
    throw error;
  }
  return { release: () => database.close() };
}
